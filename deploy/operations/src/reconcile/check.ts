/** Invoice as its document has it. */
export interface InvoiceFacts {
  readonly id: string;
  readonly environmentId: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly status: string;
  readonly number: string | null;
  /** Start of the period that it bills, in milliseconds; null: it bills none as a whole. */
  readonly periodFrom: number | null;
}

export interface CreditNoteFacts {
  readonly id: string;
  readonly environmentId: string;
  readonly invoiceId: string;
  readonly number: string | null;
}

export interface SubscriptionFacts {
  readonly id: string;
  readonly customerId: string;
  readonly items: readonly { readonly productId: string; readonly priceId: string }[];
  /** Its last invoice that checkout has confirmed; null: none. */
  readonly latestInvoiceId: string | null;
}

/** A checkout session that was paid. */
export interface SessionFacts {
  readonly id: string;
  readonly invoiceId: string;
  /** Null: a purchase without a subscription. */
  readonly subscriptionId: string | null;
}

/** Invoice or credit note of a change of a subscription that has lost the change. */
export interface LostChange {
  readonly holder: 'invoice' | 'credit note';
  readonly id: string;
  readonly subscriptionId: string;
}

/** Documents of all services that name each other, as of one moment of a closed system. */
export interface CheckedFacts {
  readonly customers: ReadonlySet<string>;
  readonly products: ReadonlySet<string>;
  /** Current and superseded prices of products. */
  readonly prices: ReadonlySet<string>;
  readonly subscriptions: readonly SubscriptionFacts[];
  readonly invoices: readonly InvoiceFacts[];
  readonly creditNotes: readonly CreditNoteFacts[];
  readonly completeSessions: readonly SessionFacts[];
  readonly lostChanges: readonly LostChange[];
  readonly environments: ReadonlySet<string>;
  /** Environments that aggregates are of, by collection. */
  readonly usedEnvironments: ReadonlyMap<string, readonly string[]>;
  /** Number of documents in which events or commands wait, by collection. */
  readonly pending: ReadonlyMap<string, number>;
}

/** Violation of an invariant. */
export interface Finding {
  readonly invariant: string;
  readonly text: string;
}

/** Compares the services of a closed system. */
export function check(facts: CheckedFacts): Finding[] {
  return [
    ...missingReferences(facts),
    ...missingEnvironments(facts),
    ...undeliveredSessions(facts),
    ...repeatedNumbers('invoice', facts.invoices),
    ...repeatedNumbers('credit note', facts.creditNotes),
    ...repeatedPeriods(facts.invoices),
    ...[...facts.pending].map(([name, count]) => ({
      invariant: 'pending',
      text: `${String(count)} documents of ${name} have events or commands that wait`,
    })),
  ];
}

const endedStatuses: ReadonlySet<string> = new Set(['DRAFT', 'VOID']);

/** I64: what names something that its owner has lost. */
function missingReferences(facts: CheckedFacts): Finding[] {
  const { customers, products, prices, subscriptions, invoices, creditNotes } = facts;
  const subscriptionIds = new Set(subscriptions.map(({ id }) => id));
  const invoiceIds = new Set(invoices.map(({ id }) => id));
  const missing = (holder: string, kind: string, id: string): Finding => ({
    invariant: 'missing_reference',
    text: missingText(holder, kind, id),
  });
  const ofSubscriptions = subscriptions.flatMap(({ id, customerId, items, ...one }) => [
    ...(one.latestInvoiceId === null || invoiceIds.has(one.latestInvoiceId)
      ? []
      : [missing(`subscription ${id}`, 'invoice', one.latestInvoiceId)]),
    ...(customers.has(customerId) ? [] : [missing(`subscription ${id}`, 'customer', customerId)]),
    ...items.flatMap(({ productId, priceId }) => {
      if (!products.has(productId)) return [missing(`subscription ${id}`, 'product', productId)];
      return prices.has(priceId) ? [] : [missing(`subscription ${id}`, 'price', priceId)];
    }),
  ]);
  // An invoice whose subscription was never created is VOID.
  const valid = invoices.filter(({ status }) => !endedStatuses.has(status));
  const ofInvoices = valid.flatMap(({ id, customerId, subscriptionId }) => [
    ...(customers.has(customerId) ? [] : [missing(`invoice ${id}`, 'customer', customerId)]),
    ...(subscriptionId === null || subscriptionIds.has(subscriptionId)
      ? []
      : [missing(`invoice ${id}`, 'subscription', subscriptionId)]),
  ]);
  const ofCreditNotes = creditNotes
    .filter(({ invoiceId }) => !invoiceIds.has(invoiceId))
    .map(({ id, invoiceId }) => missing(`credit note ${id}`, 'invoice', invoiceId));
  const ofChanges = facts.lostChanges
    .filter(({ subscriptionId }) => subscriptionIds.has(subscriptionId))
    .map((lost) => ({ invariant: 'missing_reference', text: lostChangeText(lost) }));
  return [...ofSubscriptions, ...ofInvoices, ...ofCreditNotes, ...ofChanges];
}

/** Text of the finding about what is left of a lost change. */
export function lostChangeText({ holder, id, subscriptionId }: LostChange): string {
  return missingText(`${holder} ${id}`, 'a change of subscription', subscriptionId);
}

function missingText(holder: string, kind: string, id: string): string {
  return `${holder} names ${kind} ${id}, which does not exist`;
}

/** I64: data of environments that identity has lost. */
function missingEnvironments({ environments, usedEnvironments }: CheckedFacts): Finding[] {
  return [...usedEnvironments].flatMap(([name, ids]) =>
    ids
      .filter((id) => !environments.has(id))
      .map((id) => ({
        invariant: 'missing_reference',
        text: `${name} has documents of environment ${id}, which does not exist`,
      })),
  );
}

/** I7: sessions that were paid, and have no paid invoice or no subscription. */
function undeliveredSessions(facts: CheckedFacts): Finding[] {
  const paid = new Set(
    facts.invoices.filter(({ status }) => status === 'PAID').map(({ id }) => id),
  );
  const subscriptionIds = new Set(facts.subscriptions.map(({ id }) => id));
  const finding = (id: string, lacks: string): Finding => ({
    invariant: 'I7',
    text: `checkout session ${id} is complete, and ${lacks}`,
  });
  return facts.completeSessions.flatMap(({ id, invoiceId, subscriptionId }) => [
    ...(paid.has(invoiceId) ? [] : [finding(id, `invoice ${invoiceId} is not paid`)]),
    ...(subscriptionId === null || subscriptionIds.has(subscriptionId)
      ? []
      : [finding(id, `subscription ${subscriptionId} does not exist`)]),
  ]);
}

/** I60: numbers that two documents of an environment hold. */
function repeatedNumbers(
  noun: string,
  documents: readonly Pick<InvoiceFacts, 'id' | 'environmentId' | 'number'>[],
): Finding[] {
  const numbered = documents.filter(({ number }) => number !== null);
  const held = Map.groupBy(
    numbered,
    ({ environmentId, number }) => `${environmentId} ${number ?? ''}`,
  );
  return [...held.values()]
    .filter((holders) => holders.length > 1)
    .map((holders) => ({
      invariant: 'I60',
      text: `the ${noun} number ${holders[0]?.number ?? ''} is held by ${idsOf(holders)}`,
    }));
}

/** I61: periods that two valid invoices bill. */
function repeatedPeriods(invoices: readonly InvoiceFacts[]): Finding[] {
  const billing = invoices.filter(
    ({ status, subscriptionId, periodFrom }) =>
      status !== 'VOID' && subscriptionId !== null && periodFrom !== null,
  );
  const periods = Map.groupBy(
    billing,
    ({ subscriptionId, periodFrom }) => `${subscriptionId ?? ''} ${String(periodFrom)}`,
  );
  return [...periods.values()]
    .filter((same) => same.length > 1)
    .map((same) => ({
      invariant: 'I61',
      text: `a period of subscription ${same[0]?.subscriptionId ?? ''} is billed by ${idsOf(same)}`,
    }));
}

function idsOf(documents: readonly { readonly id: string }[]): string {
  return documents.map(({ id }) => id).join(' and ');
}
