import type { CommandHandler } from '@billing/chassis/aggregate-collection';
import { answerBy, type CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import { DomainError } from '@billing/kernel/domain-error';
import type { SystemServiceServer } from '@billing/proto/billing/system/v1/system';

/**
 * Deletes an environment in all services, and here last: until then its own document carries the command, which is resumed after a crash
 * and repeated for a service that is away.
 */
export function deletionCommand(
  service: Pick<Service, 'deletion'>,
  systems: readonly Pick<Peer<SystemServiceServer>, 'deleteEnvironment'>[],
): CommandHandler {
  return async (_payload, { aggregateId, context }) => {
    const answers = await Promise.allSettled(
      systems.map((system) => deleteIn(system, aggregateId, context)),
    );
    // A service that is away keeps none of the others from deleting what they have.
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
    const limits = { until: answerBy(context), signal: context.signal };
    if (!(await service.deletion.delete(aggregateId, limits))) throw unfinished();
  };
}

async function deleteIn(
  system: Pick<Peer<SystemServiceServer>, 'deleteEnvironment'>,
  environmentId: string,
  context: CallContext,
): Promise<void> {
  const { isDone } = await system.deleteEnvironment({ environmentId }, context);
  if (!isDone) throw unfinished();
}

function unfinished(): DomainError {
  return new DomainError('unavailable', 'DELETION_UNFINISHED', 'Service unavailable');
}
