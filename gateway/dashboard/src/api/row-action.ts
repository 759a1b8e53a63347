import { type ApiRequest, send } from './client';
import { ApiProblem } from './problem';
import { type FormKey, retryAfterMsMax, retryDelayMs } from './safe-retry';

// An action on many rows: each row is a request of its own, with its own idempotency key.

/** Outcome of the action on one row. */
export interface RowOutcome {
  readonly isDone: boolean;
  readonly text: string;
}

const limitedRetriesMax = 5;
const limitedDelayMs = 1_000;
const stopEveryMs = 250;

/**
 * Sends a write until its outcome is known, and again after the rate limit. If the outcome stays
 * unknown, `key` keeps the row's idempotency key for the next start. After a stop it is not sent
 * again.
 */
export async function sendRow(
  request: ApiRequest,
  {
    key,
    isStopped,
    sendOnce = send,
    wait = delay,
  }: {
    key: FormKey;
    isStopped: () => boolean;
    sendOnce?: typeof send;
    wait?: typeof delay;
  },
): Promise<unknown> {
  let unknown = 0;
  let limited = 0;
  for (;;) {
    try {
      return await key.send(request, sendOnce);
    } catch (failure) {
      const isLimited = failure instanceof ApiProblem && failure.details.status === 429;
      if (isLimited) limited += 1;
      else unknown += 1;
      const delayMs = isLimited ? limitedDelay(limited, failure) : retryDelayMs(unknown, failure);
      if (delayMs === undefined) throw failure;
      await wait(delayMs, isStopped);
      if (isStopped()) throw failure;
    }
  }
}

/**
 * Runs an action on each row, a few at a time. A failed row does not stop the others; `isStopped`
 * is asked before each row.
 */
export async function runRows<Row>(
  rows: readonly Row[],
  {
    act,
    report,
    isStopped,
    concurrent = 3,
  }: {
    act: (row: Row) => Promise<RowOutcome>;
    report: (row: Row, outcome: RowOutcome) => void;
    isStopped: () => boolean;
    concurrent?: number;
  },
): Promise<void> {
  const waiting = [...rows];
  const work = async () => {
    for (let row = waiting.shift(); row !== undefined && !isStopped(); row = waiting.shift()) {
      report(row, await act(row).catch(failedOutcome));
    }
  };
  await Promise.all(Array.from({ length: concurrent }, work));
}

function failedOutcome(error: unknown): RowOutcome {
  const text = error instanceof Error ? error.message : 'Something went wrong';
  return { isDone: false, text };
}

function limitedDelay(limited: number, { details }: ApiProblem): number | undefined {
  if (limited > limitedRetriesMax) return undefined;
  return Math.min(details.retryAfterMs ?? limitedDelayMs, retryAfterMsMax);
}

async function delay(ms: number, isStopped: () => boolean): Promise<void> {
  for (let leftMs = ms; leftMs > 0 && !isStopped(); leftMs -= stopEveryMs) {
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(leftMs, stopEveryMs));
    });
  }
}
