import type { Service } from '@billing/chassis/service';
import { FeedAppender } from './feed/feed-append-worker';
import { feedRpc } from './feed/feed-rpc';
import type { FeedStore } from './feed/feed-store';
import { FeedSweepStore } from './feed/feed-sweep-store';
import { FeedSweepWorker } from './feed/feed-sweep-worker';
import { FeedWatch } from './feed/feed-watch-worker';
import { FeedReader } from './feed/read-feed';
import type { MessageStore } from './message/message-store';

/** The feed as other parts of the process use it. */
export interface RunningFeed {
  readonly appender: FeedAppender;
  readonly sweep: FeedSweepWorker;
  readonly watch: FeedWatch;
  /** The calls about the feed; `settle` accepts what is logged for an environment. */
  readonly rpcOf: (settle: SettleFeed) => ReturnType<typeof feedRpc>;
}

/** Accepts what is logged for an environment; returns the number of events left. */
export type SettleFeed = (environmentId: string) => Promise<number>;

const pollEveryMsDefault = 1_000;
const sweepEveryMs = 2 * 60_000;

/** Starts to append accepted messages to the feed, and returns its calls. */
export function startFeed(
  service: Service,
  { feed, messages }: { readonly feed: FeedStore; readonly messages: MessageStore },
  {
    pollEveryMs = pollEveryMsDefault,
    onAppended,
  }: {
    readonly pollEveryMs?: number | undefined;
    /** Called with an environment whose feed has grown. */
    readonly onAppended: (environmentId: string) => void;
  },
): RunningFeed {
  const { db, clock, logger } = service;
  const watch = new FeedWatch({ feed, logger, pollEveryMs });
  const appender = new FeedAppender({
    log: feed,
    clock,
    logger,
    onAppended: (environmentId, newest) => {
      watch.grow(environmentId, newest);
      onAppended(environmentId);
    },
  });
  service.onClose('feed', () => appender.stop());
  const sweeps = new FeedSweepStore(db, () => feed.restoreCode);
  const sweep = new FeedSweepWorker({ feed, sweeps, appender, clock });
  service.every({
    name: 'append to feeds what they lack',
    everyMs: sweepEveryMs,
    run: (signal) => sweep.run(signal),
    onOneReplica: true,
  });
  const reader = new FeedReader({ feed, messages, watch });
  return { appender, sweep, watch, rpcOf: (settle) => feedRpc(reader, settle) };
}
