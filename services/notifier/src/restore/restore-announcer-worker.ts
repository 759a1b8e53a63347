import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Tenant } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import type { Restore } from '@billing/chassis/recovery';
import type { RecordedRestore, Restores } from '@billing/chassis/restores';
import { EarlierEventMissingError } from '../message/accept-event';
import type { OrderedEventConsumer } from '../message/accept-in-order';
import { restoreCodesField } from '../message/message-store';
import type { KnownEnvironment } from './environment-store';
import { announceRestore, type RestoredEnvironment } from './restored-environment-document';

export interface RestoreAnnouncerDependencies {
  /** The restore that this process has started with; undefined: none. */
  readonly restore: () => Restore | undefined;
  /** True until the system is opened. */
  readonly isClosed: () => boolean;
  readonly restores: Pick<Restores, 'find' | 'recordAnnouncement'>;
  /** Environments to which the restore is announced. */
  readonly environments: () => AsyncIterable<KnownEnvironment>;
  readonly isDeleted: (environmentId: string) => boolean;
  readonly restored: AggregateCollection<RestoredEnvironment>;
  readonly consumer: Pick<OrderedEventConsumer, 'acceptUpTo'>;
  readonly clock: Clock;
}

// The relay logs an event right after its write.
const triesMax = 200;
const tryEveryMs = 50;

/**
 * Announces a restore to each environment after the opening, before any other event is accepted and
 * any webhook is sent. Each replica does so until one of them has announced it to all; an
 * environment gets one event.
 */
export class RestoreAnnouncer {
  private announcedId: string | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly dependencies: RestoreAnnouncerDependencies) {}

  /** True from the opening until the restore is announced. */
  get isPending(): boolean {
    const restore = this.dependencies.restore();
    return (
      restore !== undefined && restore.id !== this.announcedId && !this.dependencies.isClosed()
    );
  }

  /** Announces the restore; calls during a run join it. */
  run(): Promise<void> {
    if (!this.isPending) return Promise.resolve();
    this.running ??= this.announceToAll().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async announceToAll(): Promise<void> {
    const { restore, restores, environments, isDeleted, clock } = this.dependencies;
    const id = restore()?.id;
    const recorded = id === undefined ? undefined : await restores.find(id);
    if (recorded?.openedAt === undefined) return;
    // Environments made since then have lost nothing.
    if (recorded.announcedAt === undefined) {
      for await (const { tenant, at } of environments()) {
        if (!isDeleted(tenant.environmentId)) await this.announce(recorded, tenant, at);
      }
      await restores.recordAnnouncement(recorded.id, clock.now());
    }
    this.announcedId = id;
  }

  private async announce(restore: RecordedRestore, tenant: Tenant, at: Date): Promise<void> {
    const { restored, clock } = this.dependencies;
    const { environmentId } = tenant;
    const context = { tenant, now: tenant.manualClock ? at : clock.now() };
    const stored = await restored.changeFrom(
      { id: environmentId, restore: null },
      (environment) => announceRestore(environment, restore),
      context,
    );
    if (stored === undefined) return;
    const document = await restored.batches.find(environmentId, environmentId);
    await this.accept({
      environmentId,
      subscriptionId: environmentId,
      subjectType: 'environment',
      sequence: stored.version,
      ...restoreCodesField({ restoreCodes: document?.restoreCodes?.environment }),
    });
  }

  private async accept(key: Parameters<OrderedEventConsumer['acceptUpTo']>[0]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.dependencies.consumer.acceptUpTo(key);
        return;
      } catch (error) {
        if (!(error instanceof EarlierEventMissingError) || attempt >= triesMax) throw error;
        await sleep(tryEveryMs);
      }
    }
  }
}
