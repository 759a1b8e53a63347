import type { EpochStorage, SlotState } from '../epoch/epoch';
import { generationOf } from '../generation/generation';
import type { EventDocument } from '../usage/event-store';
import type { Meter } from '../meter/meter';
import { type FlushStorage, isBlocker } from './flush-storage';
import { type MeteredEvent, partsOf } from './part';

/** Dependencies of the recovery of slots. */
export interface RecoveryDependencies {
  readonly epochs: Pick<EpochStorage, 'readEpoch' | 'advanceCurrent' | 'releaseSlot'>;
  readonly storage: FlushStorage;
  /** Meters by id. */
  readonly metersOf: (
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, Pick<Meter, 'aggregation' | 'uniqueProperty'>>>;
}

/**
 * Finishes the last flush of a dead slot: prevents it from storing more, counts what it has stored,
 * and releases the slot, so that its epoch can pass. Any process may do it, also several at once.
 */
export async function recoverSlot(
  { id, ids, epoch, flush }: SlotState,
  { epochs, storage, metersOf }: RecoveryDependencies,
): Promise<void> {
  if (ids.length > 0 && epoch !== null) {
    // Read after the slot: complete up to its epoch.
    const { generations } = await epochs.readEpoch();
    const generation = generationOf(generations, epoch);
    await storage.block(ids, flush, generation);
    const found = [...(await storage.findEvents(ids, generation)).values()];
    const own = found.filter(
      (stored): stored is EventDocument => !isBlocker(stored) && stored.flush === flush,
    );
    const meters = await metersOf([...new Set(own.map(({ meterId }) => meterId))]);
    const metered = own.flatMap((document): MeteredEvent[] => {
      const meter = meters.get(document.meterId);
      // Missing only while its environment, events included, is being deleted.
      return meter === undefined ? [] : [{ document, meter }];
    });
    const parts = partsOf({ epoch, flush }, metered);
    if (parts.length > 0) await storage.insertParts(parts);
    // Without traffic nothing else would end the epoch of these parts.
    await epochs.advanceCurrent(epoch);
  }
  await epochs.releaseSlot(id);
}
