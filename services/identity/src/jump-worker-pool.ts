import { availableParallelism } from 'node:os';
import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import type { Lease } from './environment';
import { JumpWorker, type JumpWorkerOptions } from './jump-worker';
import { isHeldBy, takeOver } from './sandbox-clock';

/** The advances that a replica runs at once. More would take services and database from live environments. */
export const advancesMax = Math.min(4, availableParallelism());

/**
 * The workers of this process, one for each clock that it holds. The right to a clock is a lease in its environment's document: a worker
 * that dies renews it no more, and the sweep of whichever replica comes first takes its jumps up.
 */
export class JumpWorkerPool {
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly options: JumpWorkerOptions) {}

  /** A lease for a worker that is started once the lease is granted. */
  newClaim(): Lease {
    const { clock, leaseMs } = this.options;
    return { owner: newId(), until: new Date(clock.now().getTime() + leaseMs) };
  }

  /** Starts the worker that a lease was granted to; returns at once. */
  start(tenant: Tenant, lease: Lease): void {
    const worker = new JumpWorker(this.options, tenant, lease, this.stopping.signal);
    const work = worker.run().finally(() => {
      this.running.delete(work);
    });
    this.running.add(work);
  }

  /** Takes up the jumps of a clock whose worker died; returns once they are claimed, here or by a faster replica. */
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

  /** Stops all workers, and lets other replicas take up their jumps at once. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }
}
