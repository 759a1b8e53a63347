import { Decimal } from '../decimal';
import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  problemsOfParsing,
  wholeNumberProblems,
} from '../input-problems';
import { parseUnits } from '../pricing/units';

const nameLengthMax = 200;
const priorityMax = 255;

/** Fields of a credit grant that have rules of their own. */
export interface CreditGrantFields {
  /** Number of units, a decimal string. */
  readonly amount: string;
  readonly priority?: number | undefined;
  /** UNKNOWN: a value that this version does not know. */
  readonly source?: string | undefined;
  readonly name?: string | undefined;
  readonly effectiveAt?: Date | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Problems of each field of a credit grant. */
export function creditGrantProblems(fields: CreditGrantFields): InputProblems {
  const { amount, name, source, priority, effectiveAt, expiresAt } = fields;
  const isEmpty = expiresAt !== undefined && effectiveAt !== undefined && expiresAt <= effectiveAt;
  return {
    amount: amountProblems(amount),
    expiresAt: isEmpty ? ['Must be after effectiveAt'] : [],
    priority: optionalProblems(priority, (number) =>
      wholeNumberProblems(number, { min: 0, max: priorityMax }),
    ),
    source: source === 'UNKNOWN' ? ['Unknown source'] : [],
    name: optionalProblems(name, (text) => lineProblems(text, { max: nameLengthMax })),
  };
}

function amountProblems(amount: string): string[] {
  if (amount === '') return ['Required'];
  const unreadable = problemsOfParsing(() => parseUnits(amount, 'amount'));
  if (unreadable.length > 0) return unreadable;
  return Decimal.parse(amount).unscaled > 0n ? [] : ['Must be above 0'];
}
