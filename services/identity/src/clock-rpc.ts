import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { answerBy, type CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { newId } from '@billing/chassis/ids';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import type { IdentityServiceServer } from '@billing/proto/billing/identity/v1/identity';
import { type Environment, type Landing, timeOf } from './environment';
import { toProtoClockKind } from './environment-rpc';
import type { JumpWorkerPool } from './jump-worker-pool';
import { isHeldBy, isStopping, jumpTo, landingOf, requestJump, stopJumps } from './sandbox-clock';
import type { WaitingCalls } from './waiting-calls';

/** What the calls about clocks work with. */
export interface ClockRpcOptions {
  readonly environments: AggregateCollection<Environment>;
  readonly workers: JumpWorkerPool;
  /** Calls that wait for an advance, by environment. */
  readonly waitingAdvances: WaitingCalls;
  readonly clock: Clock;
  /** Aborts when the process stops; a jump goes on without the calls that watch it. */
  readonly stopping: AbortSignal;
}

type Handlers = Pick<
  AsyncHandlers<IdentityServiceServer>,
  'getClock' | 'advanceClock' | 'stopClockAdvance'
>;

export function clockHandlers(options: ClockRpcOptions): Handlers {
  const { environments, workers, waitingAdvances, clock, stopping } = options;
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
        const { state, tenant } = await environments
          .within({ tenant: context.tenant, now: clock.now() })
          .mutate(context.tenant.environmentId, (environment, now) =>
            requestJump(environment, { to, id, claim, now }),
          );
        if (isHeldBy(state, claim.owner)) workers.start(tenant, claim);
        const landing = await watch(jumpTo(state, to).id, context, options);
        const { now, processed, stopped = false } = landing;
        return { now, processed, stopped };
      });
    },

    stopClockAdvance: async (_request, { tenant, signal: caller, deadline }) => {
      const { environmentId } = tenant;
      const context = { tenant, now: clock.now() };
      await environments.within(context).mutate(environmentId, stopJumps);
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

/** Only watches: the jump needs nobody who waits for it. */
async function watch(
  jumpId: string,
  context: CallContext,
  { environments, stopping }: ClockRpcOptions,
): Promise<Landing> {
  const { tenant, now, deadline } = context;
  const signal = AbortSignal.any([context.signal, stopping]);
  const { state } = await environments.waitFor(
    tenant.environmentId,
    { tenant, now, signal },
    { isReached: (stored) => landingOf(stored.state, jumpId) !== undefined, until: deadline },
  );
  const landing = landingOf(state, jumpId);
  if (landing !== undefined) return landing;
  throw stopping.aborted ? unavailable() : new DeadlineExceededError();
}

function unavailable(): DomainError {
  return new DomainError('unavailable', 'STOPPING', 'Service unavailable');
}
