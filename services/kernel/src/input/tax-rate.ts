import { Decimal } from '../decimal';
import { type InputProblems, lineProblems, optionalProblems } from '../input-problems';
import { COUNTRIES } from './countries';

const stateLengthMax = 50;
const nameLengthMax = 40;
const percentPlacesMax = 4;
const percentMax = Decimal.of(100n);
const taxCategoryPattern = /^[a-z0-9._-]{1,40}$/u;

/** Fields of a tax rate that have rules of their own. */
export interface TaxRateFields {
  readonly country?: string | undefined;
  readonly state?: string | undefined;
  readonly category?: string | undefined;
  /** Decimal notation. */
  readonly percent?: string | undefined;
  readonly name?: string | undefined;
  readonly validFrom?: string | undefined;
  readonly validTo?: string | undefined;
}

/** Problems of each present field of a tax rate. */
export function taxRateProblems(fields: TaxRateFields): InputProblems {
  const { country, state, category, percent, name, validFrom, validTo } = fields;
  return {
    country: optionalProblems(country, (code) => (COUNTRIES.has(code) ? [] : ['Invalid country'])),
    state: optionalProblems(state, (text) => lineProblems(text, { max: stateLengthMax })),
    category: optionalProblems(category, taxCategoryProblems),
    percent: optionalProblems(percent, percentProblems),
    name: optionalProblems(name, (text) => lineProblems(text, { min: 1, max: nameLengthMax })),
    validFrom: optionalProblems(validFrom, dayProblems),
    validTo: optionalProblems(validTo, (day) => {
      const problems = dayProblems(day);
      const isEarly = validFrom !== undefined && day <= validFrom;
      return problems.length === 0 && isEarly ? ['Must be after validFrom'] : problems;
    }),
  };
}

/** Problems of the tax category of a product or rate. */
export function taxCategoryProblems(category: string): string[] {
  return taxCategoryPattern.test(category)
    ? []
    : ['Must be 1 to 40 characters of a-z, 0-9, ., _ and -'];
}

function percentProblems(text: string): string[] {
  const problem = `Must be between 0 and 100, with at most ${String(percentPlacesMax)} decimals`;
  try {
    const percent = Decimal.parse(text, 'percent');
    const isInRange = percent.unscaled >= 0n && percent.compare(percentMax) <= 0;
    return isInRange && percent.scale <= percentPlacesMax ? [] : [problem];
  } catch {
    return [problem];
  }
}

/** Problems of a day in UTC: `2026-01-01`. */
export function dayProblems(day: string): string[] {
  const start = new Date(`${day}T00:00:00.000Z`);
  const isDay = /^\d{4}-\d{2}-\d{2}$/u.test(day) && !Number.isNaN(start.getTime());
  return isDay && start.toISOString().startsWith(day) ? [] : ['Invalid date'];
}
