import { addMonths } from '../billing-period';
import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  wholeNumberProblems,
} from '../input-problems';

const quantityMax = 1_000_000;
const authorizedTransactionIdLengthMax = 255;
const startBackMonthsMax = 12;
const startAheadMonthsMax = 60;

/** Fields of a subscription that have rules of their own. */
export interface SubscriptionFields {
  readonly authorizedTransactionId?: string | undefined;
  readonly startAt?: Date | undefined;
  readonly quantity?: number | undefined;
}

/** Problems of each field of a new subscription; `now` is the environment's time. */
export function subscriptionProblems(
  { authorizedTransactionId, startAt, quantity }: SubscriptionFields,
  { now }: { readonly now: Date },
): InputProblems {
  return {
    authorizedTransactionId: optionalProblems(authorizedTransactionId, (text) =>
      lineProblems(text, { min: 1, max: authorizedTransactionIdLengthMax }),
    ),
    startAt: optionalProblems(startAt, (time) => startProblems(time, now)),
    quantity: optionalProblems(quantity, (count) =>
      wholeNumberProblems(count, { min: 1, max: quantityMax }),
    ),
  };
}

function startProblems(startAt: Date, now: Date): string[] {
  if (startAt < addMonths(now, -startBackMonthsMax)) {
    return ['Must be at most one year in the past'];
  }
  return startAt > addMonths(now, startAheadMonthsMax) ? ['Must be at most five years ahead'] : [];
}
