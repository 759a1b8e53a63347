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
const aheadMonthsMax = 60;

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
    authorizedTransactionId: optionalProblems(
      authorizedTransactionId,
      authorizedTransactionIdProblems,
    ),
    startAt: optionalProblems(startAt, (time) => startProblems(time, now)),
    quantity: optionalProblems(quantity, (count) =>
      wholeNumberProblems(count, { min: 1, max: quantityMax }),
    ),
  };
}

/** Problems of the id of a transaction that was authorized at the provider. */
export function authorizedTransactionIdProblems(text: string): string[] {
  return lineProblems(text, { min: 1, max: authorizedTransactionIdLengthMax });
}

/** Problems of an end as asked for. */
export function cancellationProblems({
  atPeriodEnd,
  proration,
}: {
  readonly atPeriodEnd?: boolean | undefined;
  readonly proration?: 'NONE' | 'PRORATE' | undefined;
}): InputProblems {
  const isRefused = atPeriodEnd === true && proration === 'PRORATE';
  return { proration: isRefused ? ['Not at period end'] : [] };
}

/** Problems of the instant of a change; `now` is the environment's time. */
export function changeInstantProblems(at: Date, now: Date): string[] {
  return isAhead(at, now) ? [] : ['Must be ahead, at most five years'];
}

/** Problems of the planned end of a pause that begins at `begin`, at the earliest now. */
export function resumeProblems(
  resumeAt: Date,
  { begin, now }: { readonly begin: Date; readonly now: Date },
): string[] {
  if (resumeAt > begin && isAhead(resumeAt, now)) return [];
  return ['Must be after the pause begins, at most five years'];
}

function isAhead(instant: Date, now: Date): boolean {
  return instant > now && instant <= addMonths(now, aheadMonthsMax);
}

function startProblems(startAt: Date, now: Date): string[] {
  if (startAt < addMonths(now, -startBackMonthsMax)) {
    return ['Must be at most one year in the past'];
  }
  return startAt > addMonths(now, aheadMonthsMax) ? ['Must be at most five years ahead'] : [];
}
