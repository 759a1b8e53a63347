import {
  type CommandHandler,
  isUnfinishedPass,
  unfinishedPass,
} from '@billing/chassis/aggregate-collection';
import { answerBy, type CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import type { SystemServiceServer } from '@billing/proto/billing/system/v1/system';

/**
 * Deletes an environment in all services, and here last: until then its own document carries the
 * command, which is resumed after a crash and retried while a service is down.
 */
export function deletionCommand(
  service: Pick<Service, 'deletion'>,
  systems: readonly Pick<Peer<SystemServiceServer>, 'deleteEnvironment'>[],
): CommandHandler {
  return async (_payload, { aggregateId, context }) => {
    const answers = await Promise.allSettled(
      systems.map((system) => deleteIn(system, aggregateId, context)),
    );
    // A service that is down does not keep the others from deleting their data.
    const failures = answers.filter((answer) => answer.status === 'rejected');
    const failure = failures.find(({ reason }) => !isUnfinishedPass(reason)) ?? failures[0];
    if (failure !== undefined) throw failure.reason;
    const limits = { until: answerBy(context), signal: context.signal };
    if (!(await service.deletion.delete(aggregateId, limits))) throw unfinishedPass();
  };
}

async function deleteIn(
  system: Pick<Peer<SystemServiceServer>, 'deleteEnvironment'>,
  environmentId: string,
  context: CallContext,
): Promise<void> {
  const { isDone } = await system.deleteEnvironment({ environmentId }, context);
  if (!isDone) throw unfinishedPass();
}
