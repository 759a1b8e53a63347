import { type ValueStream } from '../distinct/merge';
import { entryBytes, countedValues } from '../distinct/packed-values';
import { type StoredValues, ValuesReplacedError } from '../distinct/value-store';
import type { NumberedPart } from '../fold/bucket';
import type { HourBucket } from '../fold/hour-bucket';
import type { BucketName, BucketValues, FlushedEvent, SeriesStorage } from '../fold/series-storage';
import type { SpanBucket } from '../fold/span-bucket';
import type { Span } from '../usage/hour';

/** Stored state of one series, for tests that run the steps of folds and reads in any order. */
export class SeriesTable {
  readonly events: FlushedEvent[] = [];
  readonly parts = new Map<string, NumberedPart>();
  readonly hours = new Map<number, HourBucket>();
  readonly spans = new Map<string, SpanBucket>();
  readonly values = new Map<string, readonly Buffer[]>();
  until = 0;
  folded = 0;
  writes = 0;
  rawReads = 0;

  insertPart(part: NumberedPart): void {
    const id = `${String(part.epoch)}:${part.flush}`;
    if (!this.parts.has(id)) this.parts.set(id, part);
  }
}

/** How a test delays or repeats steps. */
export interface Steps {
  readonly read: <T>(step: () => T) => Promise<T>;
  readonly write: <T>(step: () => T) => Promise<T>;
}

const immediateSteps: Steps = {
  read: (step) => Promise.resolve(step()),
  write: (step) => Promise.resolve(step()),
};

/** The steps of folds and reads on a table. */
export function storageOn(
  table: SeriesTable,
  { read, write }: Steps = immediateSteps,
): SeriesStorage {
  const isStored = <B extends { readonly version: number }>(before: B | undefined, next: B) =>
    (before?.version ?? 0) === next.version - 1;
  return {
    values: valuesOn(table, { read, write }),
    until: () => read(() => table.until),
    parts: () => read(() => [...table.parts.values()]),
    countParts: () => read(() => table.parts.size),
    partsUpTo: (epoch) =>
      read(() => {
        const parts = [...table.parts.values()].filter((part) => part.epoch <= epoch);
        return { parts, upTo: epoch, isLast: true };
      }),
    hours: (from, until) =>
      read(() => [...table.hours.values()].filter(({ hour }) => hour >= from && hour < until)),
    hourTotals: (from, until) =>
      read(() => [...table.hours.values()].filter(({ hour }) => hour >= from && hour < until)),
    storeHour: (hour) =>
      write(() => {
        if (!isStored(table.hours.get(hour.hour), hour)) return false;
        table.hours.set(hour.hour, hour);
        return true;
      }),
    storeCuts: (hour) =>
      write(() => {
        const stored = table.hours.get(hour.hour);
        if (stored?.version === hour.version) table.hours.set(hour.hour, hour);
      }),
    spans: (within) =>
      read(() =>
        [...table.spans.values()].filter(
          ({ start }) => within === undefined || (start >= within.start && start < within.end),
        ),
      ),
    announce: async (spans) => {
      // One command, but not one step.
      for (const span of spans) {
        await write(() => {
          if (!table.spans.has(nameOf(span))) table.spans.set(nameOf(span), stubOf(span));
        });
      }
      return read(() => spans.flatMap((span) => table.spans.get(nameOf(span)) ?? []));
    },
    storeSpan: (span) =>
      write(() => {
        const stored = table.spans.get(nameOf(span));
        if (stored === undefined || !isStored(stored, span)) return false;
        table.spans.set(nameOf(span), span);
        return true;
      }),
    storeSpans: async (spans) => {
      // One command, but not one step.
      const stored: boolean[] = [];
      for (const span of spans) {
        stored.push(
          await write(() => {
            const before = table.spans.get(nameOf(span));
            if (before === undefined || !isStored(before, span)) return false;
            table.spans.set(nameOf(span), span);
            return true;
          }),
        );
      }
      return stored.every(Boolean);
    },
    deleteSpan: (span) =>
      write(() => {
        const stored = table.spans.get(nameOf(span));
        const isSame =
          stored?.version === span.version && stored.readAt.getTime() === span.readAt.getTime();
        return isSame && table.spans.delete(nameOf(span));
      }),
    recordReads: () => Promise.resolve(),
    markFolded: (epoch) =>
      write(() => {
        table.folded = Math.max(table.folded, epoch);
      }),
    deleteParts: (epoch) =>
      write(() => {
        for (const [id, part] of table.parts) if (part.epoch <= epoch) table.parts.delete(id);
      }),
    events: async function* ({ start, end }) {
      const found = await read(() => {
        table.rawReads += 1;
        return table.events.filter(({ at }) => at >= start && at < end);
      });
      yield* found;
    },
  };
}

export function stubOf({ start, end }: Span): SpanBucket {
  const total = { events: 0, quantity: null, latest: null, values: null };
  return { start, end, version: 0, folded: 0, total, isStub: true, readAt: new Date(0) };
}

function valuesOn(table: SeriesTable, { read, write }: Steps): BucketValues {
  const idOf = (bucket: BucketName, { version, write: id }: StoredValues) =>
    `${nameOf(bucket)}/${String(version)}/${id}`;
  return {
    write: async (bucket, version, stream) => {
      const blocks: Buffer[] = [];
      for await (const block of stream) blocks.push(block);
      table.writes += 1;
      const entries = blocks.reduce((sum, { length }) => sum + length / entryBytes, 0);
      const counted = blocks.reduce((sum, block) => sum + countedValues(block), 0);
      const id = String(table.writes);
      const stored = { version, write: id, documents: blocks.length, entries, counted };
      await write(() => {
        table.values.set(idOf(bucket, stored), blocks);
      });
      return stored;
    },
    read: (bucket, stored): ValueStream => ({
      [Symbol.asyncIterator]: async function* () {
        for (let index = 0; index < stored.documents; index += 1) {
          const block = await read(() => table.values.get(idOf(bucket, stored))?.[index]);
          if (block === undefined) throw new ValuesReplacedError();
          yield block;
        }
      },
    }),
    deleteOthers: (bucket, stored) =>
      write(() => {
        for (const id of table.values.keys()) {
          const [name, version] = id.split('/');
          const isOld = name === nameOf(bucket) && Number(version) <= stored.version;
          if (isOld && id !== idOf(bucket, stored)) table.values.delete(id);
        }
      }),
    delete: (bucket, stored) =>
      write(() => {
        table.values.delete(idOf(bucket, stored));
      }),
    withRuns: (_bucket, merge) =>
      merge({
        store: async (stream) => {
          const blocks: Buffer[] = [];
          for await (const block of stream) blocks.push(block);
          return {
            [Symbol.asyncIterator]: async function* () {
              await Promise.resolve();
              yield* blocks;
            },
          };
        },
      }),
  };
}

function nameOf(bucket: BucketName): string {
  if ('hour' in bucket) return `hour ${String(bucket.hour)}`;
  return `${String(bucket.start.getTime())} to ${String(bucket.end.getTime())}`;
}
