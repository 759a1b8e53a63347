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
