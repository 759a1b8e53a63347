import type { Stored } from '@billing/chassis/aggregate';
import { maskedFields } from '@billing/chassis/request-fields';
import {
  type CreateDiscountRequest,
  type Discount as ProtoDiscount,
  type UpdateDiscountRequest,
} from '@billing/proto/billing/discount/v1/discount';
import { discountDurations, discountTypes } from '@billing/proto/values/discount';
import type { Discount, DiscountChanges, DiscountInput } from './discount';

export function fromProtoDiscountInput(request: CreateDiscountRequest): DiscountInput {
  return {
    ...request,
    type: discountTypes.sentName(request.type),
    duration: discountDurations.sentName(request.duration),
  };
}

export function fromProtoDiscountChanges(request: UpdateDiscountRequest): DiscountChanges {
  const { name, active, endsAt, maxRedemptions, metadata } = request;
  const fields = {
    name: name ?? null,
    active: active ?? null,
    endsAt: endsAt ?? null,
    maxRedemptions: maxRedemptions ?? null,
    metadata: metadata ?? null,
  };
  return maskedFields(fields, request.updateMask);
}

export function toProtoDiscount(
  { state, ...stored }: Stored<Discount>,
  redemptionCount: number,
): ProtoDiscount {
  return {
    id: state.id,
    organizationId: stored.tenant.organizationId,
    name: state.name,
    code: state.code ?? undefined,
    type: discountTypes.valueOf(state.type),
    value: state.value,
    currency: state.currency ?? undefined,
    duration: discountDurations.valueOf(state.duration),
    durationInMonths: state.durationInMonths ?? undefined,
    maxRedemptions: state.maxRedemptions ?? undefined,
    redemptionCount,
    startsAt: state.startsAt ?? undefined,
    endsAt: state.endsAt ?? undefined,
    productIds: [...state.productIds],
    active: state.active,
    metadata: state.metadata,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    version: BigInt(stored.version),
  };
}
