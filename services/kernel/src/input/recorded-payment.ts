import { type InputProblems, lineProblems, optionalProblems } from '../input-problems';
import { AMOUNT_MAX } from '../money';

const referenceLengthMax = 200;

/** Fields of a recorded payment that have rules of their own. */
export interface RecordedPaymentFields {
  /** In the smallest unit. */
  readonly amount?: bigint | undefined;
  readonly reference?: string | undefined;
}

/** Problems of each present field of a recorded payment. */
export function recordedPaymentProblems(fields: RecordedPaymentFields): InputProblems {
  const { amount, reference } = fields;
  return {
    amount: optionalProblems(amount, amountProblems),
    reference: optionalProblems(reference, (text) =>
      lineProblems(text, { max: referenceLengthMax }),
    ),
  };
}

/** Problems of the instant at which a payment was received; `now` is the environment's time. */
export function receivedAtProblems(receivedAt: Date, now: Date): string[] {
  return receivedAt > now ? ['Must not be in the future'] : [];
}

function amountProblems(amount: bigint): string[] {
  if (amount < 1n) return ['Must be at least 1'];
  return amount > AMOUNT_MAX ? [`Must be at most ${String(AMOUNT_MAX)}`] : [];
}
