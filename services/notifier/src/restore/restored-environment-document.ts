import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { RecordedRestore } from '@billing/chassis/restores';
import type { Transition } from '@billing/kernel/transition';
import { unchanged } from '@billing/kernel/transition';
import type { Restore } from '@billing/proto/billing/identity/v1/identity';
import { EnvironmentEvent } from '@billing/proto/billing/event/v1/environment_event';

/** Last restore that was announced to the endpoints of an environment. */
export interface RestoredEnvironment {
  /** The environment. */
  readonly id: string;
  /** Null before the first one. */
  readonly restore: RecordedRestore | null;
}

/** Announces a restore after which the system was opened, once. */
export function announceRestore(
  environment: RestoredEnvironment,
  restore: RecordedRestore,
): Transition<RestoredEnvironment> {
  if (environment.restore?.id === restore.id) return unchanged(environment);
  const { id } = environment;
  return {
    state: { id, restore },
    events: [{ type: 'environment.restored', data: null }],
    commands: [],
  };
}

/** The stored form. Each write announces one event: the version is the number of the event. */
export const restoredEnvironmentDefinition: AggregateDefinition<RestoredEnvironment> = {
  collection: 'restoredEnvironments',
  aggregate: 'environment',
  resource: 'Environment',
  toDocument: ({ restore }) => ({ restore }),
  fromDocument: (document) => {
    const { _id: id, restore } = document as unknown as { _id: string } & RestoredEnvironment;
    return { id, restore };
  },
  encodeEvent: (_event, { state: { id: environmentId, restore } }) =>
    EnvironmentEvent.toJSON({
      environmentId,
      restore: restore ? toProtoRestore(restore) : undefined,
    }),
};

function toProtoRestore({ id, code, at, instant, openedAt }: RecordedRestore): Restore {
  return { id, code, at, instant, openedAt };
}
