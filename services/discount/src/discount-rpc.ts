import type { Stored } from '@billing/chassis/aggregate';
import { maskedFields } from '@billing/chassis/update-mask';
import type { DiscountDuration } from '@billing/kernel/discount-validity';
import type { DiscountType } from '@billing/kernel/discounting';
import {
  type CreateDiscountRequest,
  type Discount as ProtoDiscount,
  DiscountDuration as ProtoDiscountDuration,
  DiscountType as ProtoDiscountType,
  type UpdateDiscountRequest,
} from '@billing/proto/billing/discount/v1/discount';
import type { Discount, DiscountChanges, DiscountInput } from './discount';

const protoTypes: Readonly<Record<DiscountType, ProtoDiscountType>> = {
  PERCENTAGE: ProtoDiscountType.DISCOUNT_TYPE_PERCENTAGE,
  FIXED: ProtoDiscountType.DISCOUNT_TYPE_FIXED,
};

const protoDurations: Readonly<Record<DiscountDuration, ProtoDiscountDuration>> = {
  ONCE: ProtoDiscountDuration.DISCOUNT_DURATION_ONCE,
  REPEATING: ProtoDiscountDuration.DISCOUNT_DURATION_REPEATING,
  FOREVER: ProtoDiscountDuration.DISCOUNT_DURATION_FOREVER,
};

export function fromProtoDiscountInput(request: CreateDiscountRequest): DiscountInput {
  return {
    ...request,
    type: fromProtoChoice(protoTypes, request.type),
    duration: fromProtoChoice(protoDurations, request.duration),
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
    type: protoTypes[state.type],
    value: state.value,
    currency: state.currency ?? undefined,
    duration: protoDurations[state.duration],
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

/** Enum values count from 1; 0 stands for "not sent". */
function fromProtoChoice<T extends string>(
  choices: Readonly<Record<T, number>>,
  sent: number,
): T | 'UNKNOWN' | undefined {
  if (sent === 0) return undefined;
  const names = Object.keys(choices) as T[];
  return names.find((name) => choices[name] === sent) ?? 'UNKNOWN';
}
