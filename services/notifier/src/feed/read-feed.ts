import { monotonicMs } from '@billing/chassis/clock';
import { messageBytesMax } from '@billing/chassis/rpc';
import { asksFor } from '@billing/kernel/input/webhook-endpoint';
import type { Message, MessageStore } from '../message/message-store';
import { cursorExpired, type FeedRange, positionAfter, toCursor } from './feed-cursor';
import type { FeedStore, PlacedEntry } from './feed-store';
import type { FeedWatch } from './feed-watch-worker';

/** Request for a part of a feed. */
export interface FeedQuery {
  readonly environmentId: string;
  readonly after: string | undefined;
  readonly limit: number;
  /** Empty: every type. */
  readonly types: readonly string[];
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** An entry with its message. */
export interface FeedEvent {
  readonly position: number;
  readonly message: Message;
}

/** Part of a feed. */
export interface FeedPage extends FeedRange {
  readonly events: readonly FeedEvent[];
  /** Last position that was examined. */
  readonly nextAfter: number;
}

export interface FeedReaderDependencies {
  readonly feed: FeedStore;
  readonly messages: MessageStore;
  readonly watch: FeedWatch;
}

const batchMax = 1_000;
// Positions that one page examines for its types; a reader continues where it ends.
const examinedMax = 20_000;
const pageBytesMax = messageBytesMax / 2;

/** Reads feeds: in order, without gaps, and never an entry at or below a returned cursor. */
export class FeedReader {
  constructor(private readonly dependencies: FeedReaderDependencies) {}

  /** Returns a page. Waits for the first event that matches if there is none. */
  read(query: FeedQuery): Promise<FeedPage> {
    const { environmentId, waitMs, signal } = query;
    const until = monotonicMs() + waitMs;
    if (waitMs === 0) return this.readOnce(query);
    const { watch } = this.dependencies;
    return watch.watching(environmentId, async (waitBeyond) => {
      let page = await this.readOnce(query);
      for (;;) {
        const leftMs = until - monotonicMs();
        if (page.events.length > 0 || leftMs <= 0 || signal.aborted || watch.isStopping)
          return page;
        const { nextAfter } = page;
        if (nextAfter >= page.newest) await waitBeyond(nextAfter, leftMs, signal);
        const next = await this.readOnce({
          ...query,
          after: toCursor(nextAfter, page.restoreCode),
        });
        const isStuck = next.nextAfter === nextAfter && next.newest > nextAfter;
        page = next;
        if (isStuck) return page;
      }
    });
  }

  /** Cursor of the newest entry; of position 0 if there is none. */
  async newest(environmentId: string): Promise<string> {
    const { feed } = this.dependencies;
    return toCursor(await feed.lastPosition(environmentId), feed.restoreCode);
  }

  /** Returns one event by its message; undefined if it has no position. */
  async find(environmentId: string, id: string): Promise<FeedEvent | undefined> {
    const { feed, messages } = this.dependencies;
    const entry = await feed.findEntry(environmentId, id);
    if (entry === undefined) return undefined;
    const message = (await messages.findAll(environmentId, [id])).get(id);
    return message && { position: entry.position, message };
  }

  private async readOnce(query: FeedQuery): Promise<FeedPage> {
    const { feed } = this.dependencies;
    const { environmentId } = query;
    const [oldest, newest] = await Promise.all([
      feed.firstPosition(environmentId),
      feed.lastPosition(environmentId),
    ]);
    const { restoreCode } = feed;
    const after = positionAfter(query.after, { oldest, newest, restoreCode });
    const { found, nextAfter } = await this.findEntries(query, after);
    const page = await this.withMessages(environmentId, found, nextAfter);
    // Entries may have been added since.
    return { ...page, oldest, restoreCode, newest: Math.max(newest, page.nextAfter) };
  }

  /** Finds entries of the types, up to the first missing position. */
  private async findEntries(
    { environmentId, limit, types }: FeedQuery,
    after: number,
  ): Promise<{ found: PlacedEntry[]; nextAfter: number }> {
    const { feed } = this.dependencies;
    const batchSize = types.length === 0 ? limit : batchMax;
    const found: PlacedEntry[] = [];
    let nextAfter = after;
    while (nextAfter - after < examinedMax) {
      const batch = await feed.readAfter(environmentId, nextAfter, batchSize);
      let next = nextAfter;
      for (const entry of batch) {
        if (entry.position !== next + 1) break;
        next = entry.position;
        if (types.length === 0 || asksFor(types, entry.type)) found.push(entry);
        if (found.length === limit) return { found, nextAfter: next };
      }
      const isEnd = batch.length < batchSize || next - nextAfter < batch.length;
      nextAfter = next;
      if (isEnd) break;
    }
    return { found, nextAfter };
  }

  /** Reads the messages of entries. Large ones shorten the page. */
  private async withMessages(
    environmentId: string,
    entries: readonly PlacedEntry[],
    nextAfter: number,
  ): Promise<Pick<FeedPage, 'events' | 'nextAfter'>> {
    const ids = entries.map(({ messageId }) => messageId);
    const messages = await this.dependencies.messages.findAll(environmentId, ids);
    const events: FeedEvent[] = [];
    let bytes = 0;
    for (const { position, messageId } of entries) {
      const message = messages.get(messageId);
      // Retention has just removed both.
      if (message === undefined) throw cursorExpired();
      bytes += Buffer.byteLength(message.body);
      if (events.length > 0 && bytes > pageBytesMax) {
        return { events, nextAfter: events.at(-1)?.position ?? nextAfter };
      }
      events.push({ position, message });
    }
    return { events, nextAfter };
  }
}
