import { monotonicMs } from '@billing/chassis/clock';
import { RequestError } from './error';

// Minimum number of concurrent writes: enough to keep a process busy, few enough to complete in
// time.
const runningMin = 32;
// The limit grows by this step at each check while the event loop responds this fast.
const calmMs = 100;
const lookEveryMs = 20;
const admittedPerLook = 8;
// A request that waits longer has too little of its deadline left.
const waitMsMax = 6_000;
const retryAfter = { 'Retry-After': '2' };

interface Waiting {
  readonly sinceMs: number;
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Queue of requests that write. An overloaded process runs a few at a time and refuses those that
 * wait too long before they start, since running all concurrently would complete none in time.
 * Callers and routes are served round-robin, so that a flood of one does not delay others.
 */
export class WorkQueue {
  private running = 0;
  private waitingCount = 0;
  /** FIFO queues by caller and route. The order of the map is the round-robin order. */
  private readonly waiting = new Map<string, Waiting[]>();
  private nextCheck: NodeJS.Timeout | undefined;

  async run<T>(queueKey: string, work: () => Promise<T>): Promise<T> {
    if (this.running >= runningMin || this.waitingCount > 0) await this.admission(queueKey);
    else this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      if (this.running < runningMin) this.admitNext();
    }
  }

  private admission(queueKey: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.waiting.get(queueKey) ?? [];
      line.push({ sinceMs: monotonicMs(), admit: resolve, refuse: reject });
      this.waiting.set(queueKey, line);
      this.waitingCount += 1;
      this.scheduleCheck();
    });
  }

  private scheduleCheck(): void {
    if (this.nextCheck !== undefined || this.waitingCount === 0) return;
    const dueMs = monotonicMs() + lookEveryMs;
    this.nextCheck = setTimeout(() => {
      this.nextCheck = undefined;
      this.refuseLate();
      const isCalm = monotonicMs() - dueMs < calmMs;
      for (let count = 0; isCalm && count < admittedPerLook; count += 1) this.admitNext();
      this.scheduleCheck();
    }, lookEveryMs);
  }

  /** Takes the first request of the next queue and moves that queue to the end. */
  private admitNext(): void {
    const next = this.waiting.entries().next();
    if (next.done === true) return;
    const [queueKey, line] = next.value;
    this.waiting.delete(queueKey);
    const first = line.shift();
    if (line.length > 0) this.waiting.set(queueKey, line);
    if (first === undefined) return;
    this.waitingCount -= 1;
    this.running += 1;
    first.admit();
  }

  private refuseLate(): void {
    const latestMs = monotonicMs() - waitMsMax;
    for (const [queueKey, line] of this.waiting) {
      const late = line.findIndex(({ sinceMs }) => sinceMs > latestMs);
      const refused = line.splice(0, late === -1 ? line.length : late);
      if (line.length === 0) this.waiting.delete(queueKey);
      this.waitingCount -= refused.length;
      for (const { refuse } of refused) refuse(overloaded());
    }
  }
}

function overloaded(): RequestError {
  return new RequestError(503, 'unavailable', 'Service unavailable', retryAfter);
}
