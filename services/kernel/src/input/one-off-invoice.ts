import { parseCurrency } from '../currency';
import { Decimal } from '../decimal';
import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  type Parts,
  problemsOfParsing,
  textProblems,
  wholeNumberProblems,
} from '../input-problems';
import { AMOUNT_MAX } from '../money';
import { parseRate } from '../pricing/rate';
import { parseUnits } from '../pricing/units';
import { taxCategoryProblems } from './tax-rate';

const descriptionLengthMax = 500;
const memoLengthMax = 500;
const purchaseOrderLengthMax = 50;
const netDaysMax = 365;
const linesMax = 100;
const zero = Decimal.of(0n);

/** Line of a one-off invoice. Amounts are in the smallest unit. */
export interface OneOffLineFields {
  readonly description: string;
  /** Decimal string above 0; absent: 1. */
  readonly quantity?: string | undefined;
  /** May be negative. */
  readonly amount?: bigint | undefined;
  /** Decimal string. */
  readonly unitAmount?: string | undefined;
  readonly taxCategory?: string | undefined;
}

/** Fields of a one-off invoice that have rules of their own. */
export interface OneOffFields {
  /** In any case. */
  readonly currency?: string | undefined;
  readonly lines?: readonly OneOffLineFields[] | undefined;
  readonly netDays?: number | undefined;
  readonly memo?: string | undefined;
  readonly purchaseOrder?: string | undefined;
}

/** Problems of each present field of a one-off invoice. */
export function oneOffProblems(fields: Parts<OneOffFields>): InputProblems {
  const { currency, lines, netDays, memo, purchaseOrder } = fields;
  return {
    currency: optionalProblems(currency, (text) => problemsOfParsing(() => parseCurrency(text))),
    lines: optionalProblems(lines, linesProblems),
    netDays: optionalProblems(netDays, (days) =>
      wholeNumberProblems(days, { min: 0, max: netDaysMax }),
    ),
    memo: optionalProblems(memo, (text) => textProblems(text, { max: memoLengthMax })),
    purchaseOrder: optionalProblems(purchaseOrder, (text) =>
      lineProblems(text, { max: purchaseOrderLengthMax }),
    ),
  };
}

/** Amount of a line without problems: its own, or quantity × rate, rounded half up. */
export function oneOffAmount({
  amount,
  quantity = '1',
  unitAmount = '0',
}: Pick<Parts<OneOffLineFields>, 'amount' | 'quantity' | 'unitAmount'>): bigint {
  return amount ?? Decimal.parse(quantity).multiply(Decimal.parse(unitAmount)).roundHalfUp();
}

function linesProblems(lines: readonly Parts<OneOffLineFields>[]): string[] {
  if (lines.length === 0) return ['Required'];
  if (lines.length > linesMax) return [`Must have at most ${String(linesMax)} elements`];
  const problems = lines.flatMap((line, index) =>
    problemsOfLine(line).map((problem) => `${String(index)}.${problem}`),
  );
  if (problems.length > 0) return problems;
  const total = lines.reduce((sum, line) => sum + oneOffAmount(line), 0n);
  if (total < 0n) return ['Total must not be negative'];
  return total > AMOUNT_MAX ? [`Total must be at most ${String(AMOUNT_MAX)}`] : [];
}

function problemsOfLine(line: Parts<OneOffLineFields>): string[] {
  const { description, quantity, amount, unitAmount, taxCategory } = line;
  const fields = {
    description: optionalProblems(description, (text) =>
      textProblems(text, { min: 1, max: descriptionLengthMax }),
    ),
    quantity: optionalProblems(quantity, quantityProblems),
    amount:
      (amount === undefined) === (unitAmount === undefined)
        ? ['Either amount or unitAmount']
        : optionalProblems(amount, amountProblems),
    unitAmount: optionalProblems(unitAmount, (text) => problemsOfParsing(() => parseRate(text))),
    taxCategory: optionalProblems(taxCategory, taxCategoryProblems),
  };
  const problems = Object.entries(fields).flatMap(([name, found]) =>
    found.map((problem) => `${name}: ${problem}`),
  );
  if (problems.length > 0 || amount !== undefined) return problems;
  return amountProblems(oneOffAmount(line)).map((problem) => `unitAmount: ${problem}`);
}

function quantityProblems(text: string): string[] {
  const problems = problemsOfParsing(() => parseUnits(text));
  if (problems.length > 0) return problems;
  return Decimal.parse(text).compare(zero) > 0 ? [] : ['Must be above 0'];
}

function amountProblems(amount: bigint): string[] {
  if (amount > AMOUNT_MAX) return [`Must be at most ${String(AMOUNT_MAX)}`];
  return amount < -AMOUNT_MAX ? [`Must be at least ${String(-AMOUNT_MAX)}`] : [];
}
