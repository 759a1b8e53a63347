type Json = Record<string, unknown>;

// So small that callers must read more than one page.
const perPage = 2;

/** One page of a list in Stripe's form, filtered by a payment and the time of creation. */
export function listOf(
  all: readonly (Json & { readonly id: string })[],
  fields: Readonly<Record<string, string>>,
): Json {
  const { payment_intent: payment, starting_after: last } = fields;
  const since = Number(fields['created[gte]'] ?? 0);
  const listed = all.filter(
    (one) =>
      (payment === undefined || one['payment_intent'] === payment) &&
      Number(one['created'] ?? since) >= since,
  );
  const start = last === undefined ? 0 : listed.findIndex(({ id }) => id === last) + 1;
  const data = listed.slice(start, start + perPage).map((one) => ({ ...one }));
  return { object: 'list', url: '/v1/list', has_more: start + data.length < listed.length, data };
}
