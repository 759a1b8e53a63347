import { monotonicMs, systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { duplicateKeyIndex } from '@billing/chassis/mongo';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import type { Collection, Db } from 'mongodb';
import type { ServiceDatabase } from './databases';

/** Command that runs once at a time. */
type LeasedCommand = 'backup' | 'reconcile';

interface LeaseDocument {
  readonly _id: LeasedCommand;
  readonly owner: string;
  /** Real time of the last renewal. */
  readonly at: Date;
}

/** Time after which the lease of a dead command is taken over. */
const leaseMs = 25_000;
const renewEveryMs = 5_000;

/** Runs a command unless the same one runs on the same databases. */
export async function withCommandLease<T>(
  command: LeasedCommand,
  [first]: readonly ServiceDatabase[],
  work: (lease: CommandLease) => Promise<T>,
): Promise<T> {
  if (first === undefined) throw new Error('There are no databases');
  const lease = new CommandLease(command, first.db.collection<LeaseDocument>('system'));
  await lease.take();
  try {
    return await work(lease);
  } finally {
    await lease.end();
  }
}

/** Removes leases that a copy of a running system has: no command holds them there. */
export async function forgetLeases(db: Db): Promise<void> {
  const commands: readonly LeasedCommand[] = ['backup', 'reconcile'];
  await db.collection<LeaseDocument>('system').deleteMany({ _id: { $in: commands } });
}

/** Lease of one run of a command on its databases. */
export class CommandLease {
  private readonly owner = newId();
  private renewedMs = monotonicMs();
  private isLost = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly command: LeasedCommand,
    private readonly leases: Collection<LeaseDocument>,
  ) {}

  async take(): Promise<void> {
    this.renewedMs = monotonicMs();
    if (!(await this.acquire())) {
      throw new StartRefusal(exitStatuses.busy, `A ${this.command} is running`);
    }
    this.timer = setInterval(() => {
      // A lost renewal is followed by the next one.
      void this.renew().catch(() => undefined);
    }, renewEveryMs);
  }

  /** Rejects if another run may have begun since this one did. */
  async confirm(): Promise<void> {
    await this.renew();
    if (this.isLost) {
      const message = `Another ${this.command} may have begun before this one was complete: try again`;
      throw new StartRefusal(exitStatuses.busy, message);
    }
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    // A lease that cannot be deleted expires.
    const own = { _id: this.command, owner: this.owner };
    await this.leases.deleteOne(own).catch(() => undefined);
  }

  private async acquire(): Promise<boolean> {
    const at = systemClock.now();
    const expired = new Date(at.getTime() - leaseMs);
    try {
      await this.leases.updateOne(
        { _id: this.command, at: { $lte: expired } },
        { $set: { owner: this.owner, at } },
        { upsert: true },
      );
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  private async renew(): Promise<void> {
    const beforeMs = monotonicMs();
    const { matchedCount } = await this.leases.updateOne(
      { _id: this.command, owner: this.owner },
      { $set: { at: systemClock.now() } },
    );
    // After a gap another run may have come and gone.
    if (matchedCount === 0 || beforeMs - this.renewedMs >= leaseMs) this.isLost = true;
    this.renewedMs = beforeMs;
  }
}
