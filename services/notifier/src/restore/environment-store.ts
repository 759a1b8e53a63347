import type { Collection, Db } from 'mongodb';
import { type AggregateDocument, tenantOf } from '@billing/chassis/aggregate';
import type { Tenant } from '@billing/chassis/call-context';
import type { FeedStore } from '../feed/feed-store';
import type { MessageStore } from '../message/message-store';

/** An environment that has endpoints or a feed. */
export interface KnownEnvironment {
  readonly tenant: Tenant;
  /** Latest known environment time. */
  readonly at: Date;
}

// The last entries may be marks, which have no owner.
const readMax = 50;

/** Finds the environments that the notifier knows: others have no reader of events. */
export class EnvironmentStore {
  private readonly endpoints: Collection<AggregateDocument>;

  constructor(
    db: Db,
    private readonly stores: {
      readonly feed: Pick<FeedStore, 'environments' | 'lastPosition' | 'readAfter'>;
      readonly messages: Pick<MessageStore, 'findAll'>;
    },
  ) {
    this.endpoints = db.collection<AggregateDocument>('webhookEndpoints');
  }

  /** Yields each environment once. */
  async *all(): AsyncGenerator<KnownEnvironment> {
    const known = new Map<string, KnownEnvironment>();
    for await (const document of this.endpoints.find()) {
      const at = document.updatedAt;
      const earlier = known.get(document.environmentId);
      if (earlier !== undefined && earlier.at >= at) continue;
      known.set(document.environmentId, { tenant: tenantOf(document), at });
    }
    for await (const environmentId of this.stores.feed.environments()) {
      const latest = await this.latest(environmentId);
      const earlier = known.get(environmentId);
      if (latest === undefined || (earlier !== undefined && earlier.at >= latest.at)) continue;
      known.set(environmentId, latest);
    }
    yield* known.values();
  }

  /** From the latest message that tells the owner of its environment; earlier releases did not. */
  private async latest(environmentId: string): Promise<KnownEnvironment | undefined> {
    const { feed, messages } = this.stores;
    const newest = await feed.lastPosition(environmentId);
    const entries = await feed.readAfter(environmentId, Math.max(newest - readMax, 0), readMax);
    const ids = entries.map(({ messageId }) => messageId);
    const found = await messages.findAll(environmentId, ids);
    const told = ids.map((id) => found.get(id)).findLast((message) => message?.tenant);
    if (told?.tenant === undefined) return undefined;
    const { timestamp } = JSON.parse(told.body) as { readonly timestamp: string };
    return { tenant: told.tenant, at: new Date(timestamp) };
  }
}
