/** A webhook as its receiver reads it. */
export interface WebhookBody {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

// Field of `data` with the id of the subject, by the resource of the type. Payment methods and
// meter prices do not show the ids of their subjects; the check of the feed examines them.
const subjectFields: Readonly<Record<string, string>> = {
  subscription: 'subscriptionId',
  checkout: 'checkoutSessionId',
  invoice: 'invoiceId',
  customer: 'customerId',
  product: 'productId',
  discount: 'discountId',
  checkout_link: 'checkoutLinkId',
  meter: 'meterId',
};

/** True if the data of a type names its subject. */
export function hasSubject(type: string): boolean {
  const [resource = ''] = type.split('.');
  return resource in subjectFields;
}

/** Id of the resource that numbers an event. */
export function subjectOf({ type, data }: WebhookBody): string | undefined {
  const [resource = ''] = type.split('.');
  const id = data?.[subjectFields[resource] ?? ''];
  return typeof id === 'string' ? id : undefined;
}
