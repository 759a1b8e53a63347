import { DomainError } from '@billing/kernel/domain-error';
import type { CountedEvents } from '../flush/counted';
import type { EventDocument } from '../usage/event-store';

// A flush in progress counts its events within milliseconds. One that takes longer waits for its
// database, which gets fewer queries the longer it takes.
const firstWaitMs = 50;
const waitedMsMax = 2_000;

/**
 * Waits until stored events count. A process that stored some of them may be about to count them;
 * if it has died, its flush is recovered within a minute.
 */
export async function requireCounted(
  stored: readonly EventDocument[],
  wait: {
    readonly counted: Pick<CountedEvents, 'includes'>;
    readonly sleep: (ms: number) => Promise<void>;
  },
): Promise<void> {
  let waitedMs = 0;
  for (let nextMs = firstWaitMs; !(await wait.counted.includes(stored)); nextMs *= 2) {
    const ms = Math.min(nextMs, waitedMsMax - waitedMs);
    if (ms <= 0) throw new DomainError('unavailable', 'EVENT_NOT_COUNTED', 'Service unavailable');
    await wait.sleep(ms);
    waitedMs += ms;
  }
}
