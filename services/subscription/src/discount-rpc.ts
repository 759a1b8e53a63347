import type { DiscountDuration } from '@billing/kernel/discount-validity';
import type { DiscountType } from '@billing/kernel/discounting';
import type { DiscountTerms as ProtoDiscountTerms } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type Discount as ProtoDiscount,
  DiscountDuration as ProtoDuration,
  DiscountType as ProtoType,
} from '@billing/proto/billing/discount/v1/discount';
import type { DiscountSnapshot } from './subscription';

const protoTypes: Readonly<Record<DiscountType, ProtoType>> = {
  PERCENTAGE: ProtoType.DISCOUNT_TYPE_PERCENTAGE,
  FIXED: ProtoType.DISCOUNT_TYPE_FIXED,
};

const protoDurations: Readonly<Record<DiscountDuration, ProtoDuration>> = {
  ONCE: ProtoDuration.DISCOUNT_DURATION_ONCE,
  REPEATING: ProtoDuration.DISCOUNT_DURATION_REPEATING,
  FOREVER: ProtoDuration.DISCOUNT_DURATION_FOREVER,
};

/** Throws an Error for a kind of discount that this version does not know: taking it off by guess would be wrong. */
export function fromProtoDiscount(discount: ProtoDiscount): DiscountSnapshot {
  const { id, name, value, durationInMonths } = discount;
  return {
    id,
    name,
    type: known(protoTypes, discount.type),
    value,
    duration: known(protoDurations, discount.duration),
    durationInMonths: durationInMonths ?? null,
  };
}

/** What is taken off an invoice. */
export function toProtoDiscountTerms(discount: DiscountSnapshot): ProtoDiscountTerms {
  const { id: discountId, name, type, value } = discount;
  return { discountId, name, type: protoTypes[type], value };
}

function known<T extends string>(names: Readonly<Record<T, number>>, value: number): T {
  const name = (Object.keys(names) as T[]).find((candidate) => names[candidate] === value);
  if (name === undefined) throw new Error(`A discount has the unknown kind ${String(value)}`);
  return name;
}
