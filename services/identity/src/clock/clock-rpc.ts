import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { answerBy, type CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import type { IdentityServiceServer } from '@billing/proto/billing/identity/v1/identity';
import {
  type Environment,
  type ClockAdvanceResult,
  timeOf,
  type WaitingCall,
} from '../environment/environment';
import { toProtoClockKind } from '../environment/environment-message';
import type { ClockAdvanceWorkerPool } from './run-advances';
import {
  isHeldBy,
  isStopping,
  findAdvance,
  advanceResultOf,
  requestAdvance,
  stopAdvances,
  stopWaiting,
} from '../environment/sandbox-clock';
import type { WaitingCalls } from './waiting-calls';

/** This replica, and what it knows of the others. */
interface KnownReplicas {
  readonly id: string;
  /** True for a replica without a living heartbeat: it is gone, or has just started. */
  isGone(replica: string): boolean;
}

export interface ClockRpcDependencies {
  readonly environments: AggregateCollection<Environment>;
  readonly workers: ClockAdvanceWorkerPool;
  /** Calls of this replica that wait for an advance, by environment. */
  readonly waitingAdvances: WaitingCalls;
  readonly replicas: KnownReplicas;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the process stops; an advance continues without the calls that wait for it. */
  readonly stopping: AbortSignal;
}

type Handlers = Pick<
  AsyncHandlers<IdentityServiceServer>,
  'getClock' | 'advanceClock' | 'stopClockAdvance'
>;

export function clockHandlers(dependencies: ClockRpcDependencies): Handlers {
  const { environments, workers, waitingAdvances, replicas, clock, stopping } = dependencies;
  return {
    getClock: async (_request, { tenant }) => {
      const now = clock.now();
      const { state } = await environments.within({ tenant, now }).get(tenant.environmentId);
      return { clock: toProtoClockKind[state.clock.kind], now: timeOf(state, now) };
    },

    advanceClock: async ({ to }, context) => {
      if (to === undefined) throw invalidInput({ to: ['Required'] });
      if (stopping.aborted) throw unavailable();
      return waitingAdvances.run(context.tenant.environmentId, async () => {
        const claim = workers.newClaim();
        const id = newId();
        // Callers choose their request ids, so those may be the same.
        const since = clock.now();
        const replica = replicas.id;
        const call = { id: newId(), until: context.deadline, replica, since };
        const isGone = (other: string) => replicas.isGone(other);
        const { state, tenant } = await environments
          .within({ tenant: context.tenant, now: clock.now() })
          .mutate(context.tenant.environmentId, (environment, now) =>
            requestAdvance(environment, { to, id, claim, now, call, isGone }),
          );
        if (isHeldBy(state, claim.owner)) workers.start(tenant, claim);
        const result = await resultOf(
          { id: call.id, advanceId: findAdvance(state, to).id },
          context,
          dependencies,
        );
        const { now, processed, stopped = false } = result;
        return { now, processed, stopped };
      });
    },

    stopClockAdvance: async (_request, { tenant, signal: caller, deadline }) => {
      const { environmentId } = tenant;
      const context = { tenant, now: clock.now() };
      await environments.within(context).mutate(environmentId, stopAdvances);
      const signal = AbortSignal.any([caller, stopping]);
      const { state } = await environments.waitFor(
        environmentId,
        { ...context, signal },
        { isReached: (stored) => !isStopping(stored.state), until: answerBy({ deadline }) },
      );
      return { clock: toProtoClockKind[state.clock.kind], now: timeOf(state, clock.now()) };
    },
  };
}

/** Result of an advance. A call that ends without it makes room for another one. */
async function resultOf(
  { id, advanceId }: Omit<WaitingCall, 'until'>,
  context: CallContext,
  dependencies: ClockRpcDependencies,
): Promise<ClockAdvanceResult> {
  try {
    return await watch(advanceId, context, dependencies);
  } catch (error) {
    const { environments, clock, logger } = dependencies;
    const { environmentId } = context.tenant;
    try {
      await environments
        .within({ tenant: context.tenant, now: clock.now() })
        .mutate(environmentId, (environment) => stopWaiting(environment, id));
    } catch (failure) {
      // The call counts until its deadline or the end of the advance.
      logger.warn({ err: failure, environmentId }, 'end of waiting call not recorded');
    }
    throw error;
  }
}

/** Waits for the result alone: the advance runs without its callers. */
async function watch(
  advanceId: string,
  context: CallContext,
  { environments, stopping }: ClockRpcDependencies,
): Promise<ClockAdvanceResult> {
  const { tenant, now, deadline } = context;
  const signal = AbortSignal.any([context.signal, stopping]);
  const { state } = await environments.waitFor(
    tenant.environmentId,
    { tenant, now, signal },
    {
      isReached: (stored) => advanceResultOf(stored.state, advanceId) !== undefined,
      until: deadline,
    },
  );
  const result = advanceResultOf(state, advanceId);
  if (result !== undefined) return result;
  throw stopping.aborted ? unavailable() : new DeadlineExceededError();
}

function unavailable(): DomainError {
  return new DomainError('unavailable', 'STOPPING', 'Service unavailable');
}
