import { monotonicMs } from '@billing/chassis/clock';
import { RequestError } from './http-error';

// So many requests that store something always run at once: enough to keep a process busy, few
// enough to end in time.
const runningMin = 32;
// More run only while the event loop answers this fast, so many more with each look at it.
const calmMs = 100;
const lookEveryMs = 20;
const admittedPerLook = 8;
// A request that waits longer has too little of its deadline left to store anything.
const waitMsMax = 6_000;
const retryAfter = { 'Retry-After': '2' };

interface Waiting {
  readonly sinceMs: number;
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Admits requests that store something. A process that is asked for more than it can do runs a few
 * at a time and refuses what waits too long, before anything has begun: running all of them
 * together would end none of them in time. Callers and routes take turns, so that a flood of one
 * delays no other for long.
 */
export class WorkQueue {
  private running = 0;
  private waitingCount = 0;
  /**
   * By caller and route, each first come, first served; the map's order is the order of their
   * turns.
   */
  private readonly waiting = new Map<string, Waiting[]>();
  private look: NodeJS.Timeout | undefined;

  async run<T>(turn: string, work: () => Promise<T>): Promise<T> {
    if (this.running >= runningMin || this.waitingCount > 0) await this.admission(turn);
    else this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      if (this.running < runningMin) this.admitNext();
    }
  }

  private admission(turn: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.waiting.get(turn) ?? [];
      line.push({ sinceMs: monotonicMs(), admit: resolve, refuse: reject });
      this.waiting.set(turn, line);
      this.waitingCount += 1;
      this.lookLater();
    });
  }

  private lookLater(): void {
    if (this.look !== undefined || this.waitingCount === 0) return;
    const dueMs = monotonicMs() + lookEveryMs;
    this.look = setTimeout(() => {
      this.look = undefined;
      this.refuseLate();
      const isCalm = monotonicMs() - dueMs < calmMs;
      for (let count = 0; isCalm && count < admittedPerLook; count += 1) this.admitNext();
      this.lookLater();
    }, lookEveryMs);
  }

  /** The first of the line whose turn it is, which then stands behind all others. */
  private admitNext(): void {
    const next = this.waiting.entries().next();
    if (next.done === true) return;
    const [turn, line] = next.value;
    this.waiting.delete(turn);
    const first = line.shift();
    if (line.length > 0) this.waiting.set(turn, line);
    if (first === undefined) return;
    this.waitingCount -= 1;
    this.running += 1;
    first.admit();
  }

  private refuseLate(): void {
    const latestMs = monotonicMs() - waitMsMax;
    for (const [turn, line] of this.waiting) {
      const late = line.findIndex(({ sinceMs }) => sinceMs > latestMs);
      const refused = line.splice(0, late === -1 ? line.length : late);
      if (line.length === 0) this.waiting.delete(turn);
      this.waitingCount -= refused.length;
      for (const { refuse } of refused) refuse(overloaded());
    }
  }
}

function overloaded(): RequestError {
  return new RequestError(503, 'unavailable', 'Service unavailable', retryAfter);
}
