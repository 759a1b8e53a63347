import { parseCurrency } from '../currency';
import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  problemsOfParsing,
} from '../input-problems';
import { AMOUNT_MAX } from '../money';

const descriptionLengthMax = 500;

/** Fields of a manual balance entry that have rules of their own. */
export interface BalanceEntryFields {
  /** In the smallest unit; above 0: more is owed to the customer. */
  readonly amount: bigint;
  readonly currency?: string | undefined;
  readonly description: string;
}

/** Problems of each field of a manual balance entry. */
export function balanceEntryProblems(fields: BalanceEntryFields): InputProblems {
  const { amount, currency, description } = fields;
  return {
    amount: amountProblems(amount),
    currency: optionalProblems(currency, (text) => problemsOfParsing(() => parseCurrency(text))),
    description: lineProblems(description, { min: 1, max: descriptionLengthMax }),
  };
}

function amountProblems(amount: bigint): string[] {
  if (amount === 0n) return ['Must not be 0'];
  if (amount < -AMOUNT_MAX) return [`Must be at least ${String(-AMOUNT_MAX)}`];
  return amount > AMOUNT_MAX ? [`Must be at most ${String(AMOUNT_MAX)}`] : [];
}
