import type { FormValues } from '../../parts/form/form-values';
import { typedDecimal } from '../../parts/text/decimal';
import { rateToType, typedRate } from '../../parts/text/rate';

/** A tier as it is typed; money is in major units. The last tier has no upper bound. */
export interface TierRow {
  readonly upTo: string;
  readonly unitAmount: string;
  readonly flatAmount: string;
}

type Values = Pick<FormValues, 'text' | 'optional' | 'has'>;

/** Name of the field of a tier; the server reports problems under the same name. */
export function tierField(index: number, field: keyof TierRow): string {
  return `tiers.${String(index)}.${field}`;
}

/** Tiers of a form, in the smallest unit; undefined if the form has none. */
export function typedTiers(values: Values, currency: string) {
  const count = rowsIn(values);
  if (count === 0) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const isLast = index === count - 1;
    const flat = values.optional(tierField(index, 'flatAmount'));
    return {
      upTo: isLast ? null : typedDecimal(values.text(tierField(index, 'upTo'))),
      unitAmount: typedRate(values.text(tierField(index, 'unitAmount')), currency),
      ...(flat !== undefined && { flatAmount: typedRate(flat, currency) }),
    };
  });
}

/** Stored tiers as rows of the form. */
export function tierRows(
  tiers: readonly {
    readonly upTo: string | null;
    readonly unitAmount: string;
    readonly flatAmount: string;
  }[],
  currency: string,
): readonly TierRow[] {
  return tiers.map(({ upTo, unitAmount, flatAmount }) => ({
    upTo: upTo ?? '',
    unitAmount: rateToType(unitAmount, currency),
    flatAmount: flatAmount === '0' ? '' : rateToType(flatAmount, currency),
  }));
}

function rowsIn(values: Values): number {
  let count = 0;
  while (values.has(tierField(count, 'unitAmount'))) count += 1;
  return count;
}
