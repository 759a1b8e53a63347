import type { Collection, Db } from 'mongodb';
import { type Clock, sleep } from '@billing/chassis/clock';
import { jitter } from '@billing/chassis/ids';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { insertMissing } from '@billing/chassis/inserts';
import type { StoringGate } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import type { EnvironmentStore } from '../environment/environment-store';
import {
  abandonedSlots,
  freeNumbers,
  type SandboxSlot,
  sandboxLimitReached,
  withoutSlot,
} from './sandbox-slot';

interface SlotDocument {
  /** `<organization>:<number>`: two sandboxes never get one number. */
  readonly _id: string;
  readonly organizationId: string;
  /** The sandbox that holds the slot, in the field by which its deletion finds the slot. */
  readonly environmentId: string;
  readonly heldAt: Date;
}

export interface SandboxSlotDependencies {
  readonly environmentList: EnvironmentStore;
  readonly clock: Clock;
  readonly max: number;
}

const attemptsMax = 20;

/**
 * Numbered slots for an organization's sandboxes, insert-only: a sandbox is stored only while it
 * holds one, so several replicas never exceed the limit. The deletion of a sandbox's documents
 * removes its slot; a slot that is needed earlier is reclaimed here.
 */
export class SandboxSlotStore {
  private readonly documents: Collection<SlotDocument>;

  constructor(
    db: Db,
    private readonly dependencies: SandboxSlotDependencies,
  ) {
    this.documents = db.collection<SlotDocument>('sandboxSlots');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.documents, [
      { name: 'holder', key: { environmentId: 1 }, unique: true },
      { name: 'organization', key: { organizationId: 1 } },
    ]);
  }

  /**
   * Assigns a slot to a sandbox; a retry finds the first one. Throws failed_precondition when all
   * slots are held.
   */
  async take(organizationId: string, sandboxId: string, storing?: StoringGate): Promise<void> {
    const { environmentList, clock, max } = this.dependencies;
    storing?.check();
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      // Slots are read before sandboxes: otherwise a sandbox deleted in between would seem to have
      // no slot.
      const slots = await this.slotsOf(organizationId);
      const sandboxes = await environmentList.sandboxesOf(organizationId);
      const own = slots.find((slot) => slot.sandboxId === sandboxId);
      if (own !== undefined && (await this.confirm(own))) return;
      const lacking = withoutSlot(slots, sandboxes);
      const wanted = lacking.length > 0 ? lacking : [sandboxId];
      const free = freeNumbers(slots, { count: wanted.length, max });
      if (free.length === wanted.length) {
        await this.insert(organizationId, wanted, free);
      } else {
        const abandoned = abandonedSlots(slots, sandboxes, clock.now());
        if (abandoned.length === 0) throw sandboxLimitReached();
        for (const slot of abandoned) await this.release(slot);
      }
      if (attempt > 2) await sleep(attempt * 5 * jitter(1));
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  private async slotsOf(organizationId: string): Promise<SandboxSlot[]> {
    const found = await retryTransient(() => this.documents.find({ organizationId }).toArray());
    return found.map(({ _id, environmentId: sandboxId, heldAt }) => {
      const number = Number(_id.slice(organizationId.length + 1));
      return { organizationId, number, sandboxId, heldAt };
    });
  }

  private async insert(
    organizationId: string,
    sandboxIds: readonly string[],
    numbers: readonly number[],
  ): Promise<void> {
    const heldAt = this.dependencies.clock.now();
    const documents = sandboxIds.map((environmentId, index) => ({
      _id: `${organizationId}:${String(numbers[index])}`,
      organizationId,
      environmentId,
      heldAt,
    }));
    await insertMissing(this.documents, documents);
  }

  /** Confirms a slot; false when it was reclaimed since it was read. */
  private async confirm(slot: SandboxSlot): Promise<boolean> {
    const heldAt = this.dependencies.clock.now();
    const { matchedCount } = await retryTransient(() =>
      this.documents.updateOne(keyOf(slot), { $set: { heldAt } }),
    );
    return matchedCount > 0;
  }

  private async release(slot: SandboxSlot): Promise<void> {
    const { heldAt } = slot;
    await retryTransient(() => this.documents.deleteOne({ ...keyOf(slot), heldAt }));
  }
}

function keyOf({ organizationId, number, sandboxId: environmentId }: SandboxSlot) {
  return { _id: `${organizationId}:${String(number)}`, environmentId };
}
