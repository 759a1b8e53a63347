import type { UsageEpoch } from '../epoch/epoch';
import { type Generation, generationOf, generationsBefore } from '../generation/generation';
import type { EventDocument, NewEventDocument } from '../usage/event-store';
import { type EventPlace, type FlushStorage, isBlocker } from './flush-storage';
import { type MeteredEvent, partsOf } from './part';
import { FencedError, type RetryUntilFenced, type Slot } from './slot';

/** An event to store. */
export interface FlushItem extends MeteredEvent<NewEventDocument> {
  /** Earliest real time at which an earlier request may have stored the event. */
  readonly firstArrivalMs: number;
  /** True for a stored event with the content of this one. */
  readonly isSame: (stored: EventDocument) => boolean;
}

/** Result of a flush. All other events were stored and counted by it. */
export interface StoredFlush<Item extends FlushItem> {
  /** Items whose id was in use, with the stored event; of several, one that is the same. */
  readonly repeats: ReadonlyMap<Item, EventDocument>;
  /** Items that could not be stored, with the error. */
  readonly failed: ReadonlyMap<Item, Error>;
}

/** Dependencies of a flush. */
export interface FlushDependencies {
  readonly storage: FlushStorage;
  /** The writer's last reading, whose current epoch the flush belongs to. */
  readonly reading: UsageEpoch;
  /** Resolves when nothing can be added up to an epoch any more. */
  readonly awaitOver: (epoch: number) => Promise<void>;
  readonly retry: RetryUntilFenced;
  /** Called once the slot shows the flush: from then on it is finished, here or by its recovery. */
  readonly onStart?: () => void;
}

type ByEvent<T> = Map<NewEventDocument, T>;

/**
 * Stores events and their contribution to each series. Steps: the slot, events, parts. The
 * recovery of the slot does the remaining steps of a flush that dies in between.
 */
export async function storeFlush<Item extends FlushItem>(
  slot: Slot,
  items: readonly Item[],
  { storage, reading, awaitOver, retry, onStart }: FlushDependencies,
): Promise<StoredFlush<Item>> {
  const { current: epoch, until, generations } = reading;
  const ids = new Set(items.map(({ document }) => document._id));
  const name = await slot.beginFlush({ epoch, ids: [...ids] }, retry);
  onStart?.();
  // In place: a copy per event would cost more than all other work on it.
  for (const { document } of items) {
    document.epoch = name.epoch;
    document.flush = name.flush;
  }
  const generation = generationOf(generations, epoch);
  const lastBefore = generation.from - 1;
  // The generations before it are final from then on.
  if (until < lastBefore) await awaitOver(lastBefore);
  const earlier = await findEarlier(items, { storage, generations, generation, retry });
  const firsts = new Map<string, Item>();
  for (const item of items) {
    const { document } = item;
    if (!earlier.has(document) && !firsts.has(document._id)) firsts.set(document._id, item);
  }
  const fresh = [...firsts.values()];
  const documents = fresh.map(({ document }) => document);
  const place = { storage, generation, retry };
  const { repeats, failed } = await storeEvents(documents, place);
  const isOwn = ({ document }: Item) => !repeats.has(document) && !failed.has(document);
  const parts = partsOf(name, fresh.filter(isOwn));
  if (parts.length > 0) await retry(() => storage.insertParts(parts));
  return outcomesOf(items, { earlier, firsts, repeats, failed });
}

/**
 * Finds events that are stored in generations before that of the flush. An id may have been used
 * again, after its time: an event that is the same is looked for in all of them.
 */
async function findEarlier(
  items: readonly FlushItem[],
  {
    storage,
    generations,
    generation,
    retry,
  }: Pick<FlushDependencies, 'storage' | 'retry'> & {
    readonly generations: readonly Generation[];
    readonly generation: Generation;
  },
): Promise<ByEvent<EventDocument>> {
  const earlier: ByEvent<EventDocument> = new Map();
  const isOpen = ({ document, isSame }: FlushItem) => {
    const found = earlier.get(document);
    return found === undefined || !isSame(found);
  };
  const search = async (wanted: readonly FlushItem[], place: EventPlace) => {
    if (wanted.length === 0) return;
    const ids = [...new Set(wanted.map(({ document }) => document._id))];
    const found = await retry(() => storage.findEvents(ids, place));
    for (const { document, isSame } of wanted) {
      const stored = found.get(document._id);
      // The event of a blocker was never stored.
      if (stored === undefined || isBlocker(stored)) continue;
      if (!earlier.has(document) || isSame(stored)) earlier.set(document, stored);
    }
  };
  let wanted = items;
  for (const past of generationsBefore(generations, generation)) {
    wanted = wanted.filter((item) => item.firstArrivalMs < past.arrivedBeforeMs && isOpen(item));
    if (wanted.length === 0) break;
    await search(wanted, past);
  }
  const others = items.filter((item) => earlier.has(item.document) && isOpen(item));
  await search(others, generation);
  return earlier;
}

async function storeEvents(
  events: readonly NewEventDocument[],
  {
    storage,
    generation,
    retry,
  }: Pick<FlushDependencies, 'storage' | 'retry'> & { readonly generation: Generation },
): Promise<{ repeats: ByEvent<EventDocument>; failed: ByEvent<Error> }> {
  const repeats: ByEvent<EventDocument> = new Map();
  if (events.length === 0) return { repeats, failed: new Map() };
  const inserted = await retry(() => storage.insertEvents(events, generation));
  const failed: ByEvent<Error> = new Map(inserted.failed);
  let undecided = [...inserted.duplicates];
  while (undecided.length > 0) {
    const ids = undecided.map(({ _id }) => _id);
    const found = await retry(() => storage.findEvents(ids, generation));
    const blocked: NewEventDocument[] = [];
    for (const event of undecided) {
      const stored = found.get(event._id);
      if (stored === undefined) failed.set(event, new Error('Stored event not found'));
      else if (isBlocker(stored)) {
        if (stored.blocked.includes(event.flush)) throw new FencedError('The flush is blocked');
        blocked.push(event);
        // An own event was inserted by an attempt whose reply was lost.
      } else if (stored.flush !== event.flush) repeats.set(event, stored);
    }
    const taken = await Promise.all(
      blocked.map((event) => retry(() => storage.takeOver(event, generation))),
    );
    undecided = blocked.filter((_event, index) => taken[index] !== true);
  }
  return { repeats, failed };
}

/** Gives each item the outcome of the first item with its id that no generation before has. */
function outcomesOf<Item extends FlushItem>(
  items: readonly Item[],
  {
    earlier,
    firsts,
    repeats,
    failed,
  }: {
    readonly earlier: ByEvent<EventDocument>;
    readonly firsts: ReadonlyMap<string, Item>;
    readonly repeats: ByEvent<EventDocument>;
    readonly failed: ByEvent<Error>;
  },
): StoredFlush<Item> {
  const outcomes = { repeats: new Map<Item, EventDocument>(), failed: new Map<Item, Error>() };
  if (firsts.size === items.length && repeats.size === 0 && failed.size === 0) return outcomes;
  for (const item of items) {
    const before = earlier.get(item.document);
    if (before !== undefined) {
      outcomes.repeats.set(item, before);
      continue;
    }
    const first = firsts.get(item.document._id) ?? item;
    const error = failed.get(first.document);
    const stored = repeats.get(first.document) ?? (first === item ? undefined : first.document);
    if (error !== undefined) outcomes.failed.set(item, error);
    else if (stored !== undefined) outcomes.repeats.set(item, stored);
  }
  return outcomes;
}
