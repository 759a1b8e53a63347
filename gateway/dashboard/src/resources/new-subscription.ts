import { typedCount } from '../parts/text/amount';
import type { FormValues } from '../parts/form/form-values';
import { fromTimeField } from '../parts/text/time-field';

/** Body of `POST /v1/subscriptions` from a form. */
export function newSubscription(
  values: Pick<FormValues, 'text' | 'optional'>,
  customerId: string,
): object {
  return {
    customerId,
    productId: values.text('productId'),
    quantity: typedCount(values.optional('quantity')) ?? 1,
    discountId: values.optional('discountId') ?? null,
    startAt: fromTimeField(values.optional('startAt')) ?? null,
    authorizedTransactionId: values.optional('authorizedTransactionId') ?? null,
  };
}

/** Query that finds a customer by email or external id; undefined if the input is a customer id. */
export function customerQuery(
  typed: string,
): { readonly email: string } | { readonly externalId: string } | undefined {
  const text = typed.trim();
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text))
    return undefined;
  return text.includes('@') ? { email: text } : { externalId: text };
}
