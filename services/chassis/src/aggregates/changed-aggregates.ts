import type { Filter } from 'mongodb';
import { type AggregateDocument, type Stored, toStored } from './aggregate';
import type { AggregateCollection } from './aggregate-collection';
import type { Clock } from '../clock';
import { type CallContext, neverStopping, workContext } from '../grpc/call-context';
import type { Logger } from '../telemetry/logging';
import type { RecoveryContext, StepCounts } from '../recovery/recovery';
import { inPages, visitAll } from '../recovery/visit-all';

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
  const found = inPages(documents, changed as Filter<AggregateDocument>);
  const { clock, logger } = dependencies;
  const { collection: name, aggregate } = definition;
  const visit = async (document: AggregateDocument) => {
    const stored = toStored(definition, document);
    const context = workContext(stored.tenant, {
      at: stored.updatedAt,
      clock,
      requestId: `${document._id}/reassert`,
      stopping: neverStopping,
    });
    return { [name]: 1, ...(await reassert(stored, context)) };
  };
  const onFailure = (error: unknown, { _id: id }: AggregateDocument) => {
    logger.error({ err: error, aggregate, id }, 'state not reasserted');
    return { [name]: 1, failed: 1 };
  };
  return { [name]: 0, ...(await visitAll(found, visit, onFailure)) };
}
