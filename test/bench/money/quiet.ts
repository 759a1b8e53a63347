import { setTimeout as sleep } from 'node:timers/promises';
import type { Documents } from '../stage/floor-data';

const pollMs = 50;
const stillMs = 1_000;
const timeoutMs = 120_000;

/** Waits until no document has an event or a command left to send. */
export async function untilQuiet(documents: Documents): Promise<void> {
  const pending = { pendingSince: { $gt: new Date(0) } };
  await until(async () => (await documents.findOne(pending)) === null);
}

/** Waits until a collection has not grown for a moment. */
export async function untilStill(documents: Documents): Promise<void> {
  let counted = await documents.countDocuments({});
  for (;;) {
    await sleep(stillMs);
    const before = counted;
    counted = await documents.countDocuments({});
    if (counted === before) return;
  }
}

/** Waits for a state of the system. */
export async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await isReached())) {
    if (performance.now() - startedMs > timeoutMs) throw new Error('The work did not end in time');
    await sleep(pollMs);
  }
}
