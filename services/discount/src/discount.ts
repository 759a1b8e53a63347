import type { Currency } from '@billing/kernel/currency';
import { parseCurrency } from '@billing/kernel/currency';
import { Decimal } from '@billing/kernel/decimal';
import type { DiscountDuration } from '@billing/kernel/discount-validity';
import type { DiscountType } from '@billing/kernel/discounting';
import { DomainError } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type DiscountFields, discountProblems } from '@billing/kernel/input/discount';

/** A reduction of invoices. */
export interface Discount {
  readonly id: string;
  readonly name: string;
  /** As it was written; unique in the environment without regard to case. Without one it works by id only. */
  readonly code: string | null;
  readonly type: DiscountType;
  /** Canonical decimal string: percent, or a whole number of minor units. */
  readonly value: string;
  /** Of FIXED alone; without one it counts in the invoice's. */
  readonly currency: Currency | null;
  readonly duration: DiscountDuration;
  /** Of REPEATING alone. */
  readonly durationInMonths: number | null;
  readonly maxRedemptions: number | null;
  /** Redemptions begin; inclusive. */
  readonly startsAt: Date | null;
  /** Redemptions end; exclusive. */
  readonly endsAt: Date | null;
  /** The products that it is for; none stands for all. */
  readonly productIds: readonly string[];
  readonly active: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A discount as it was sent. */
export interface DiscountInput extends DiscountFields {
  /** Absent: true. */
  readonly active?: boolean | undefined;
  /** Absent: empty. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What is to change about a discount: a field that is absent stays, one that is null is cleared. */
export interface DiscountChanges {
  readonly name?: string | null;
  readonly active?: boolean | null;
  readonly endsAt?: Date | null;
  readonly maxRedemptions?: number | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** What is found out about an input outside its rules; told together with the problems that they find. */
export interface DiscountFindings {
  /** Metadata is checked alike by all services. */
  readonly metadataProblems: readonly string[];
  /** Which of the products their owner does not know. */
  readonly productProblems: readonly string[];
}

/** A new discount. Refuses the input once, for everything that is wrong with it. */
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
  if (type === undefined || type === 'UNKNOWN') throw new Error('The type was not checked');
  if (duration === undefined || duration === 'UNKNOWN') {
    throw new Error('The duration was not checked');
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
 * The discount after a change: what a creation with its fields would make of them, so that a cleared field is back at its default and
 * nothing can be changed to what could not have been created. The very same discount where nothing differs.
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
    // They were known when it was made.
    productProblems: [],
  });
  return isSameData(discount, changed) ? discount : changed;
}

/** Whether a maximum allows fewer redemptions than the one before; null is none. */
export function isLower(maximum: number | null, before: number | null): boolean {
  return maximum !== null && (before === null || maximum < before);
}

/** Another discount of the environment has the code. */
export function codeTaken(): DomainError {
  return new DomainError('already_exists', 'CODE_TAKEN', 'Discount with this code already exists');
}

/** The maximum cannot be so low. */
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
