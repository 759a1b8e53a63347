import { z } from 'zod';
import type {
  ChangeSide,
  SubscriptionChange,
  SubscriptionItem,
} from '../gen/billing/subscription/v1/change';
import {
  changeAts,
  changeCollects,
  changeKinds,
  changeProrations,
  changeStatuses,
} from '../values/subscription';
import { PriceJson, toJsonPrice } from './product';
import {
  amount,
  id,
  metadata,
  time,
  timestamps,
  toJsonAmount,
  toJsonMetadata,
  toJsonOptionalTime,
  toJsonTime,
} from './scalars';

export const itemQuantity = z.int().min(1).max(1_000_000);

export const SubscriptionItemJson = z
  .object({ id, productId: id, priceId: id, quantity: itemQuantity, price: PriceJson.nullable() })
  .meta({ id: 'SubscriptionItem' });
type SubscriptionItemJson = z.infer<typeof SubscriptionItemJson>;

const ChangeSideJson = z
  .object({
    items: z.array(SubscriptionItemJson),
    discountId: id.nullable(),
    currentPeriodStart: time,
    currentPeriodEnd: time,
  })
  .meta({ id: 'SubscriptionChangeSide' });
type ChangeSideJson = z.infer<typeof ChangeSideJson>;

export const SubscriptionChangeJson = z
  .object({
    id,
    subscriptionId: id,
    kind: z.enum(['UPDATE', 'PAUSE', 'RESUME']),
    status: z.enum(['PENDING', 'PAYING', 'APPLIED', 'FAILED', 'CANCELED']),
    at: z.union([z.enum(['NOW', 'PERIOD_END']), time]).meta({
      description:
        'Time that was asked for. An instant: the change takes effect at the first period start at or after it.',
    }),
    effectiveAt: time.meta({
      description: 'When the change takes effect. For a pending change, the expected time.',
    }),
    proration: z.enum(['PRORATE', 'FULL_AND_RESET', 'NONE']),
    collect: z.enum(['NOW', 'NEXT_INVOICE']),
    requirePayment: z.boolean(),
    from: ChangeSideJson,
    to: ChangeSideJson,
    monthlyAmountBefore: amount,
    monthlyAmountAfter: amount,
    invoiceId: id.nullable().meta({
      description: 'Null: nothing is charged, or the lines wait for the next invoice.',
    }),
    creditNoteIds: z.array(id),
    failure: z.object({ code: z.string(), message: z.string() }).nullable(),
    replacedBy: id.nullable(),
    migrationId: id.nullable(),
    resumeAt: time.nullable().meta({ description: 'Planned end of a pause. Null: none.' }),
    metadata,
    ...timestamps,
  })
  .meta({ id: 'SubscriptionChange' });
export type SubscriptionChangeJson = z.infer<typeof SubscriptionChangeJson>;

/** A change in REST responses and webhooks. */
export function toJsonSubscriptionChange(change: SubscriptionChange): SubscriptionChangeJson {
  const { from, to, failure } = change;
  if (from === undefined || to === undefined) throw new Error('A change has two sides');
  return {
    id: change.id,
    subscriptionId: change.subscriptionId,
    kind: changeKinds.knownName(change.kind) ?? 'UPDATE',
    status: changeStatuses.nameOf(change.status),
    at: toJsonOptionalTime(change.notBefore) ?? changeAts.nameOf(change.at),
    effectiveAt: toJsonTime(change.effectiveAt),
    proration: changeProrations.knownName(change.proration) ?? 'PRORATE',
    collect: changeCollects.knownName(change.collect) ?? 'NOW',
    requirePayment: change.requirePayment,
    from: toJsonSide(from),
    to: toJsonSide(to),
    monthlyAmountBefore: toJsonAmount(change.monthlyAmountBefore),
    monthlyAmountAfter: toJsonAmount(change.monthlyAmountAfter),
    invoiceId: change.invoiceId ?? null,
    creditNoteIds: change.creditNoteIds,
    failure: failure === undefined ? null : { code: failure.code, message: failure.message },
    replacedBy: change.replacedBy ?? null,
    migrationId: change.migrationId ?? null,
    resumeAt: toJsonOptionalTime(change.resumeAt),
    metadata: toJsonMetadata(change.metadata),
    createdAt: toJsonTime(change.createdAt),
    updatedAt: toJsonTime(change.updatedAt),
  };
}

/** An item in REST responses and webhooks. */
export function toJsonItem(item: SubscriptionItem): SubscriptionItemJson {
  return {
    id: item.id,
    productId: item.productId,
    priceId: item.priceId,
    quantity: item.quantity,
    price: item.price === undefined ? null : toJsonPrice(item.price),
  };
}

function toJsonSide(side: ChangeSide): ChangeSideJson {
  return {
    items: side.items.map(toJsonItem),
    discountId: side.discountId ?? null,
    currentPeriodStart: toJsonTime(side.currentPeriodStart),
    currentPeriodEnd: toJsonTime(side.currentPeriodEnd),
  };
}
