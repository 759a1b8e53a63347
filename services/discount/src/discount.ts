import type { Currency } from '@billing/kernel/currency';
import { parseCurrency } from '@billing/kernel/currency';
import { Decimal } from '@billing/kernel/decimal';
import type { DiscountDuration } from '@billing/kernel/discount-validity';
import type { DiscountType } from '@billing/kernel/discounting';
import { DomainError } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type DiscountFields, discountProblems } from '@billing/kernel/input/discount';

/** A price reduction on invoices. */
export interface Discount {
  readonly id: string;
  readonly name: string;
  /**
   * In the case in which it was created; unique in the environment, ignoring case. Null: the
   * discount can be used by id only.
   */
  readonly code: string | null;
  readonly type: DiscountType;
  /** Canonical decimal string: a percentage, or an integer of minor units. */
  readonly value: string;
  /** FIXED only; null: the value applies in the currency of each invoice. */
  readonly currency: Currency | null;
  readonly duration: DiscountDuration;
  /** REPEATING only. */
  readonly durationInMonths: number | null;
  readonly maxRedemptions: number | null;
  /** Start of the redemption period; inclusive. */
  readonly startsAt: Date | null;
  /** End of the redemption period; exclusive. */
  readonly endsAt: Date | null;
  /** Products that the discount applies to; empty: all. */
  readonly productIds: readonly string[];
  readonly active: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Discount fields as sent by the caller. */
export interface DiscountInput extends DiscountFields {
  /** Absent: true. */
  readonly active?: boolean | undefined;
  /** Absent: empty. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes to a discount: an absent field stays, null clears it. */
export interface DiscountChanges {
  readonly name?: string | null;
  readonly active?: boolean | null;
  readonly endsAt?: Date | null;
  readonly maxRedemptions?: number | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** Problems of an input found outside its rules; reported together with the other problems. */
export interface DiscountFindings {
  /** Results of the metadata check that all services share. */
  readonly metadataProblems: readonly string[];
  /** The products that do not exist. */
  readonly productProblems: readonly string[];
}

/** Creates a discount. Reports all invalid fields in one error. */
export function createDiscount(
  input: DiscountInput,
  { id, ...findings }: DiscountFindings & { readonly id: string },
): Discount {
  const { type, duration, currency } = input;
  const { metadataProblems, productProblems } = findings;
  const problems = discountProblems(input);
  refuseProblems({
    ...problems,
    productIds: problems.productIds?.length === 0 ? productProblems : (problems.productIds ?? []),
    metadata: metadataProblems,
  });
  if (type === undefined || type === 'UNKNOWN') throw new Error('Unvalidated type');
  if (duration === undefined || duration === 'UNKNOWN') {
    throw new Error('Unvalidated duration');
  }
  return {
    id,
    name: input.name,
    code: input.code ?? null,
    type,
    value: Decimal.parse(input.value, 'value').toString(),
    currency: currency === undefined ? null : parseCurrency(currency),
    duration,
    durationInMonths: input.durationInMonths ?? null,
    maxRedemptions: input.maxRedemptions ?? null,
    startsAt: input.startsAt ?? null,
    endsAt: input.endsAt ?? null,
    productIds: [...new Set(input.productIds)],
    active: input.active ?? true,
    metadata: input.metadata ?? {},
  };
}

/**
 * Applies changes with the rules of createDiscount: a cleared field returns to its default, and no
 * change can produce a discount that could not have been created. Returns the same discount if
 * nothing differs.
 */
export function changeDiscount(
  discount: Discount,
  changes: DiscountChanges,
  { metadataProblems }: Pick<DiscountFindings, 'metadataProblems'>,
): Discount {
  refuseProblems({ active: changes.active === null ? ['Required'] : [] });
  const changed = createDiscount(inputAfter(discount, changes), {
    id: discount.id,
    metadataProblems,
    // The products were checked at creation.
    productProblems: [],
  });
  return isSameData(discount, changed) ? discount : changed;
}

/** True if a maximum allows fewer redemptions than the previous one; null: no limit. */
export function isLower(maximum: number | null, before: number | null): boolean {
  return maximum !== null && (before === null || maximum < before);
}

/** The error if another discount of the environment has the code. */
export function codeTaken(): DomainError {
  return new DomainError('already_exists', 'CODE_TAKEN', 'Discount with this code already exists');
}

/** The error if the maximum would fall below the redemptions in use. */
export function redemptionsHeld(): DomainError {
  return new DomainError(
    'failed_precondition',
    'REDEMPTIONS_HELD',
    'A redemption above the new maximum is held',
  );
}

function inputAfter(discount: Discount, changes: DiscountChanges): DiscountInput {
  const after = { ...discount, ...changes };
  return {
    name: after.name ?? '',
    code: after.code ?? undefined,
    type: after.type,
    value: after.value,
    currency: after.currency ?? undefined,
    duration: after.duration,
    durationInMonths: after.durationInMonths ?? undefined,
    maxRedemptions: after.maxRedemptions ?? undefined,
    startsAt: after.startsAt ?? undefined,
    endsAt: after.endsAt ?? undefined,
    productIds: after.productIds,
    active: after.active ?? undefined,
    metadata: after.metadata ?? undefined,
  };
}
