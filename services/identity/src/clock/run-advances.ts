import { availableParallelism } from 'node:os';
import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import type { Lease } from '../environment/environment';
import { ClockAdvanceWorker, type ClockAdvanceDependencies } from './clock-advance-worker';
import { isHeldBy, takeOver } from '../environment/sandbox-clock';

/**
 * Concurrent advances of a replica. More would take services and database from live environments.
 */
export const advancesMax = Math.min(4, availableParallelism());

/**
 * The workers of this process, one for each clock that it holds. The right to a clock is a lease in
 * its environment's document: a dead worker stops renewing it, and the next sweep of any replica
 * resumes its advances.
 */
export class ClockAdvanceWorkerPool {
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly options: ClockAdvanceDependencies) {}

  /** Creates a lease for a worker that starts once the lease is granted. */
  newClaim(): Lease {
    const { clock, leaseMs } = this.options;
    return { owner: newId(), until: new Date(clock.now().getTime() + leaseMs) };
  }

  /** Starts the worker that a lease was granted to; returns immediately. */
  start(tenant: Tenant, lease: Lease): void {
    const worker = new ClockAdvanceWorker(this.options, tenant, lease, this.stopping.signal);
    const work = worker.run().finally(() => {
      this.running.delete(work);
    });
    this.running.add(work);
  }

  /**
   * Resumes the advances of a clock whose worker died; returns once they are claimed, here or by a
   * faster replica.
   */
  async takeOver(tenant: Tenant): Promise<void> {
    const { environments, clock, logger } = this.options;
    const { environmentId } = tenant;
    const claim = this.newClaim();
    const { state } = await environments
      .within({ tenant, now: clock.now() })
      .mutate(environmentId, (environment, now) => takeOver(environment, { claim, now }));
    if (!isHeldBy(state, claim.owner)) return;
    logger.info({ environmentId }, 'clock advance resumed');
    this.start(tenant, claim);
  }

  /** Stops all workers, and lets other replicas resume their advances immediately. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }
}
