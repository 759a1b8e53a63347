import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  textProblems,
} from '../input-problems';
import { AMOUNT_MAX } from '../money';

const memoLengthMax = 500;
const referenceLengthMax = 200;
const linesMax = 100;

/** Fields of a credit note that have rules of their own. */
export interface CreditNoteFields {
  /** With tax, in the smallest unit; absent or empty: `amount` decides. */
  readonly lines?: readonly { readonly amount?: bigint | undefined }[] | undefined;
  /** With tax, in the smallest unit. */
  readonly amount?: bigint | undefined;
  readonly memo?: string | undefined;
}

/** Problems of each present field of a credit note. */
export function creditNoteProblems({ lines = [], amount, memo }: CreditNoteFields): InputProblems {
  return {
    lines: linesProblems(lines),
    amount:
      amount !== undefined && lines.length > 0
        ? ['Not allowed with lines']
        : optionalProblems(amount, amountProblems),
    memo: optionalProblems(memo, (text) => textProblems(text, { max: memoLengthMax })),
  };
}

/** Problems of the settlement of a refund. */
export function refundSettlementProblems({
  reference,
}: {
  readonly reference?: string | undefined;
}): InputProblems {
  return {
    reference: optionalProblems(reference, (text) =>
      lineProblems(text, { max: referenceLengthMax }),
    ),
  };
}

function linesProblems(lines: NonNullable<CreditNoteFields['lines']>): string[] {
  if (lines.length > linesMax) return [`Must have at most ${String(linesMax)} elements`];
  return lines.flatMap(({ amount }, index) =>
    optionalProblems(amount, amountProblems).map((text) => `${String(index)}.amount: ${text}`),
  );
}

function amountProblems(amount: bigint): string[] {
  if (amount < 1n) return ['Must be at least 1'];
  return amount > AMOUNT_MAX ? [`Must be at most ${String(AMOUNT_MAX)}`] : [];
}
