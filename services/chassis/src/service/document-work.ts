import type { AggregateCollection } from '../aggregates/aggregate-collection';
import type { Clock } from '../clock';
import { DueWork, type DueWorkDependencies } from '../due-work/due-work';
import { Relay, type RelayDependencies } from '../outbox/relay';
import type { Replicas } from '../replicas/replicas';
import type { SystemWatch } from '../replicas/system-watch';
import type { EventStream } from '../stream/jet-stream';
import type { Logger } from '../telemetry/logging';
import type { ServiceConfiguration } from './configuration';

/** Conditions under which work is not done. */
export interface WorkGates {
  readonly isStorageFull: () => boolean;
  readonly system: SystemWatch;
  readonly isDeleted: (environmentId: string) => boolean;
}

type WorkStores = 'eventLog' | 'stuckCommands' | 'activity';

interface DocumentOwner {
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stream: EventStream;
  readonly slices: Replicas;
  readonly configuration: Pick<ServiceConfiguration, 'SHUTDOWN_GRACE_MS'>;
  onClose(name: string, close: () => Promise<void>): void;
}

/** Starts relay and due work of a service's aggregates. */
export function startDocumentWork(
  owner: DocumentOwner,
  collections: AggregateCollection<never>[],
  { activity, ...stores }: Pick<RelayDependencies & DueWorkDependencies, WorkStores>,
  { isStorageFull: isPaused, system, isDeleted }: WorkGates,
): { relay: Relay; dueWork: DueWork } {
  const { name: service, clock, logger, stream, slices } = owner;
  const graceMs = owner.configuration.SHUTDOWN_GRACE_MS;
  const shared = { service, clock, logger, graceMs, slices, isPaused, system, isDeleted };
  const swept = { ...shared, slices: slices.ofMessages };
  const relay = new Relay(collections, { ...swept, ...stores, stream });
  relay.start();
  owner.onClose('relay', () => relay.stop());
  const dueWork = new DueWork(collections, { ...shared, activity });
  dueWork.start();
  owner.onClose('due work', () => dueWork.stop());
  return { relay, dueWork };
}
