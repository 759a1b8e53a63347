import type { Filter } from 'mongodb';
import { type AggregateDocument, type Stored, toStored } from './aggregate';
import type { AggregateCollection } from './aggregate-collection';
import { type Clock, sleep } from '../clock';
import { type CallContext, workContext } from '../grpc/call-context';
import { jitter } from '../ids';
import type { Logger } from '../telemetry/logging';
import type { RecoveryContext, StepCounts } from '../recovery/recovery';

// Enough to keep the peers busy, and few enough to leave them time for each other's calls.
const inFlight = 16;
// Pauses of 0.1 s to 5 s between them: a peer that restarts is back before the last one.
const attemptsMax = 12;
const pauseMaxMs = 5_000;

/** Dependencies of a scan. */
export interface ScanDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Does again what follows from the state of an aggregate; returns counts of what was missing. */
export type Reassertion<S> = (stored: Stored<S>, context: CallContext) => Promise<StepCounts>;

/**
 * Visits every aggregate that has changed since the context's time, in one scan. A visit that fails
 * is retried; one that keeps failing is counted as `failed` and does not hold up the others.
 * Documents of earlier releases do not have the time of their last change and are visited, too.
 */
export async function reassertChanged<S extends { readonly id: string }>(
  collection: AggregateCollection<S>,
  { since }: RecoveryContext,
  reassert: Reassertion<S>,
  dependencies: ScanDependencies,
): Promise<StepCounts> {
  const { definition, documents } = collection;
  // Matches documents without the time, too.
  const changed = { changedAt: { $not: { $lt: since } } };
  const found = documents.find(changed as Filter<AggregateDocument>).sort({ _id: 1 });
  const counts: Record<string, number> = { [definition.collection]: 0 };
  const running = new Set<Promise<void>>();
  for await (const document of found) {
    const run = visit(document, reassert, { ...dependencies, definition }).then((news) => {
      addCounts(counts, { [definition.collection]: 1, ...news });
      running.delete(run);
    });
    running.add(run);
    if (running.size >= inFlight) await Promise.race(running);
  }
  await Promise.all(running);
  return counts;
}

async function visit<S extends { readonly id: string }>(
  document: AggregateDocument,
  reassert: Reassertion<S>,
  { definition, ...dependencies }: ScanDependencies & Pick<AggregateCollection<S>, 'definition'>,
): Promise<StepCounts> {
  const { clock, logger } = dependencies;
  const { _id: id } = document;
  const { aggregate } = definition;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const stored = toStored(definition, document);
      const context = workContext(stored.tenant, {
        at: stored.updatedAt,
        clock,
        requestId: `${id}/reassert`,
        stopping: neverStopping,
      });
      return await reassert(stored, context);
    } catch (error) {
      if (attempt === attemptsMax) {
        logger.error({ err: error, aggregate, id }, 'state not reasserted');
        return { failed: 1 };
      }
      await sleep(Math.min(2 ** attempt * 50, pauseMaxMs) * jitter(0.2));
    }
  }
}

const { signal: neverStopping } = new AbortController();

/** Adds counts to others. */
export function addCounts(counts: Record<string, number>, news: StepCounts): void {
  for (const [name, count] of Object.entries(news)) counts[name] = (counts[name] ?? 0) + count;
}
