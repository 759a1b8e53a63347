import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import { isOver, isPastRetention, nameOfMonth, newestOf, startOfMonth } from './generation';
import type { GenerationStorage, MadeCollections } from './generation-storage';

/** Dependencies of the work on generations. */
export interface GenerationDependencies {
  readonly storage: GenerationStorage;
  readonly collections: MadeCollections;
  readonly clock: Clock;
  readonly logger: Logger;
}

const makeAheadMs = 7 * 24 * 60 * 60_000;

/** Makes the generation of the next month a week ahead, and begins it with its month. */
export async function changeGeneration({
  storage,
  collections,
  clock,
  logger,
}: GenerationDependencies): Promise<void> {
  const now = clock.now();
  const { generations } = await storage.readEpoch();
  if (isOver(newestOf(generations), now)) {
    const name = nameOfMonth(now);
    await collections.make(name);
    const { current } = await storage.readEpoch();
    // No effect if an epoch ends in between: the next run repeats it.
    await storage.beginGeneration(current, { name, since: now });
    logger.info({ generation: name }, 'beginning a generation of usage events');
    return;
  }
  const name = nameOfMonth(new Date(now.getTime() + makeAheadMs));
  if (name !== nameOfMonth(now)) await collections.make(name);
}

/** Drops generations whose events are older than a number of months. */
export async function dropGenerations(
  months: number,
  { storage, collections, clock, logger }: GenerationDependencies,
): Promise<void> {
  const now = clock.now();
  const { generations } = await storage.readEpoch();
  for (const [index, { name }] of generations.entries()) {
    const next = generations[index + 1];
    if (next !== undefined && isPastRetention(next, { months, now })) {
      await storage.removeGeneration(name);
    }
  }
  // Also what a crash between both steps has left.
  const kept = (await storage.readEpoch()).generations.map(({ name }) => name);
  for (const name of await collections.made()) {
    if (kept.includes(name) || name > (kept[0] ?? '')) continue;
    await collections.drop(name);
    logger.info({ generation: name }, 'dropped a generation of usage events');
  }
}

/** Reports for how long events that arrive have a generation of their month. */
export function observeGenerations(
  metrics: Pick<Metrics, 'observe'>,
  { storage, collections, clock }: Omit<GenerationDependencies, 'logger'>,
): void {
  metrics.observe('usageGenerationsAhead', async () => {
    const now = clock.now();
    const { generations } = await storage.readEpoch();
    const made = await collections.made();
    const isNextMade = made.includes(nameOfMonth(startOfMonth(now, 1)));
    const months = isOver(newestOf(generations), now) ? 0 : isNextMade ? 2 : 1;
    const until = startOfMonth(now, months);
    return [{ value: (until.getTime() - now.getTime()) / 1_000, attributes: {} }];
  });
}
