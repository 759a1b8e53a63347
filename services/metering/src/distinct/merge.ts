import { compareValues, countAt, entryBytes, PackedEntries } from './packed-values';

/** Packed values in blocks; sorted throughout. Reading starts with the iteration. */
export type ValueStream = AsyncIterable<Buffer>;

/** Values of a document, and of a block in memory. */
export const blockValuesMax = 4_096;
/** Streams that are read together: 64 blocks of 4,096 values take 6 MB. */
export const streamsMax = 64;

/** Packed values in memory as a stream. */
export function streamOf(packed: Buffer): ValueStream {
  return {
    [Symbol.asyncIterator]: async function* () {
      yield await Promise.resolve(packed);
    },
  };
}

/** Stores intermediate results of a merge of many streams. */
export interface RunStore {
  store(stream: ValueStream): Promise<ValueStream>;
}

/** Merges any number of streams. Of more than 64, some are merged into stored runs first. */
export async function mergedRuns(
  streams: readonly ValueStream[],
  runs: RunStore,
): Promise<ValueStream> {
  const open = [...streams];
  while (open.length > streamsMax) {
    // Merges no more than needed; stored runs go last, so that all runs grow alike.
    const group = open.splice(0, Math.min(streamsMax, open.length - streamsMax + 1));
    open.push(await runs.store(mergedValues(group)));
  }
  return mergedValues(open);
}

/** Merges at most 64 streams. Holds one block of each. */
export async function* mergedValues(streams: readonly ValueStream[]): AsyncGenerator<Buffer> {
  if (streams.length > streamsMax) throw new Error('Too many streams to merge at once');
  const heap = new CursorHeap();
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  try {
    const cursors = await Promise.all(iterators.map((one) => Cursor.open(one)));
    for (const cursor of cursors) if (cursor !== undefined) heap.push(cursor);
    // The last entry stays open across blocks: the next one may carry the same value.
    const entries = new PackedEntries(blockValuesMax + 1);
    for (let top = heap.top; top !== undefined; top = heap.top) {
      if (entries.size >= blockValuesMax && !entries.isLast(top.block, top.offset)) {
        const block = entries.take();
        if (block.length > 0) yield block;
      }
      entries.add(top.block, top.offset, countAt(top.block, top.offset));
      if (top.advance() || (await top.nextBlock())) heap.settleTop();
      else heap.pop();
    }
    const block = entries.take();
    if (block.length > 0) yield block;
  } finally {
    for (const one of iterators) await one.return?.();
  }
}

/** Position in a stream. */
class Cursor {
  offset = 0;
  /** Leading bytes of the value, which nearly always decide a comparison. */
  private prefix = 0;

  private constructor(
    private readonly iterator: AsyncIterator<Buffer>,
    public block: Buffer,
  ) {
    this.readPrefix();
  }

  /** Returns undefined for an empty stream. */
  static async open(iterator: AsyncIterator<Buffer>): Promise<Cursor | undefined> {
    const block = await nextBlock(iterator);
    return block === undefined ? undefined : new Cursor(iterator, block);
  }

  /** Moves to the next value; false at the end of the block. */
  advance(): boolean {
    this.offset += entryBytes;
    if (this.offset >= this.block.length) return false;
    this.readPrefix();
    return true;
  }

  /** Moves to the next block; false at the end of the stream. */
  async nextBlock(): Promise<boolean> {
    const block = await nextBlock(this.iterator);
    if (block === undefined) return false;
    this.block = block;
    this.offset = 0;
    this.readPrefix();
    return true;
  }

  isBefore(other: Cursor): boolean {
    if (this.prefix !== other.prefix) return this.prefix < other.prefix;
    return compareValues(this.block, this.offset, other.block, other.offset) < 0;
  }

  private readPrefix(): void {
    this.prefix = this.block.readUIntBE(this.offset, 6);
  }
}

async function nextBlock(iterator: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) return undefined;
    if (next.value.length > 0) return next.value;
  }
}

/** Binary heap of cursors, the lowest value on top. */
class CursorHeap {
  private readonly cursors: Cursor[] = [];

  get top(): Cursor | undefined {
    return this.cursors[0];
  }

  push(cursor: Cursor): void {
    this.cursors.push(cursor);
    let index = this.cursors.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  pop(): void {
    const last = this.cursors.pop();
    if (last === undefined || this.cursors.length === 0) return;
    this.cursors[0] = last;
    this.settleTop();
  }

  /** Restores the order after the top has moved on. */
  settleTop(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.isBefore(left + 1, left) ? left + 1 : left;
      if (!this.swapIfBefore(child, index)) return;
      index = child;
    }
  }

  private swapIfBefore(lower: number, upper: number): boolean {
    if (!this.isBefore(lower, upper)) return false;
    const [a, b] = [this.cursors[lower], this.cursors[upper]];
    if (a === undefined || b === undefined) return false;
    this.cursors[lower] = b;
    this.cursors[upper] = a;
    return true;
  }

  private isBefore(a: number, b: number): boolean {
    const [left, right] = [this.cursors[a], this.cursors[b]];
    return left !== undefined && right !== undefined && left.isBefore(right);
  }
}
