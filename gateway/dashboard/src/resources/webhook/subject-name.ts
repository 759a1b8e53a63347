/** Lists of the resources with a name that have the filter `ids`, by the type of the resource. */
const lists: Readonly<Record<string, string>> = {
  customer: '/v1/customers',
  discount: '/v1/discounts',
  invoice: '/v1/invoices',
  product: '/v1/products',
};

/** Path of the list that names the resources of a type; undefined: they have no names. */
export function subjectList(type: string): string | undefined {
  return lists[type];
}

/** Number, name or email address of a resource; null if it is not known. */
export function subjectName(resource: object | null | undefined): string | null {
  const { number, name, email } = (resource ?? {}) as Readonly<Record<string, unknown>>;
  return [number, name, email].find((one) => typeof one === 'string') ?? null;
}
