import { newId } from '@billing/chassis/ids';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import type { ChangeServiceServer } from '@billing/proto/billing/subscription/v1/change_service';
import type {
  CreateFromCheckoutRequest,
  CreateSubscriptionRequest,
  SoldItem,
  SubscriptionServiceServer,
} from '@billing/proto/billing/subscription/v1/subscription';
import { toProtoSubscription } from '../message/subscription-message';
import { fromProtoPrice } from '../peer/catalog';
import { fromProtoCustomer } from '../peer/customer';
import { fromProtoDiscount } from '../peer/discount';
import { recurringPrice } from '../subscription/product';
import { createSold, type SoldPurchase } from './create-from-checkout';
import { create, type CreationDependencies } from './create-subscription';
import {
  previewPurchase,
  promiseOfPurchase,
  type PurchasePreviewDependencies,
} from './describe-purchase';
import type { SubscriptionInput } from './input';

/** The calls that create subscriptions. */
export function creationRpc(
  dependencies: CreationDependencies & PurchasePreviewDependencies,
): Pick<AsyncHandlers<SubscriptionServiceServer>, 'createSubscription' | 'createFromCheckout'> {
  return {
    createSubscription: async (request, context) => {
      const input = fromProtoInput(request);
      const { previewToken: token } = request;
      const promised =
        token === undefined
          ? undefined
          : await promiseOfPurchase(token, input, context, dependencies);
      const stored = await create({ input, promised }, context, dependencies);
      return { subscription: toProtoSubscription(stored) };
    },

    createFromCheckout: async (request, context) => {
      const stored = await createSold(fromProtoPurchase(request), context, dependencies);
      return { subscription: toProtoSubscription(stored) };
    },
  };
}

/** The call that previews a creation. */
export function purchasePreviewRpc(
  dependencies: PurchasePreviewDependencies,
): Pick<AsyncHandlers<ChangeServiceServer>, 'previewPurchase'> {
  return {
    previewPurchase: ({ customerId = null, ...request }, context) => {
      const {
        productId,
        quantity = 1,
        startAt = null,
        discountId = null,
        priceId = null,
      } = request;
      const items = request.items === undefined ? null : request.items.items;
      const asked = { customerId, productId, priceId, quantity, startAt, discountId, items };
      return previewPurchase(asked, context, dependencies);
    },
  };
}

function fromProtoInput(request: CreateSubscriptionRequest): SubscriptionInput {
  const { customerId, productId, metadata, quantity } = request;
  return {
    customerId,
    productId,
    priceId: request.priceId ?? null,
    authorizedTransactionId: request.authorizedTransactionId ?? null,
    startAt: request.startAt ?? null,
    metadata: metadata ?? {},
    quantity: quantity ?? 1,
    discountId: request.discountId ?? null,
    items: request.items === undefined ? null : request.items.items,
  };
}

function fromProtoPurchase(request: CreateFromCheckoutRequest): SoldPurchase {
  const { id, productId, productName, quantity, metadata, discount, attempt } = request;
  const invoice = required('invoice', request.invoice);
  const price = recurringPrice(fromProtoPrice(required('price', request.price)));
  const completedAt = required('completedAt', request.completedAt);
  return {
    id,
    itemId: newId(),
    otherItems: (request.otherItems?.items ?? []).map(fromProtoItem),
    // A session sells one subscription: every call with its id asks for the same.
    fingerprint: id,
    customer: fromProtoCustomer(required('customer', request.customer)),
    productId,
    productName,
    price,
    quantity,
    metadata: metadata ?? {},
    discount: discount === undefined ? null : fromProtoDiscount(discount),
    completedAt,
    invoice: { id: invoice.id, form: invoice },
    attempt,
  };
}

function fromProtoItem(item: SoldItem): SoldPurchase['otherItems'][number] {
  const { productId, productName, quantity } = item;
  const price = recurringPrice(fromProtoPrice(required('price', item.price)));
  return { id: newId(), productId, productName, price, quantity };
}

function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw invalidInput({ [field]: ['Required'] });
  return value;
}
