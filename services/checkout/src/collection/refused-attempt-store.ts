import type { Collection, Db } from 'mongodb';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { checkRefused, countedSince, refusedMax } from './refused-attempts';

interface RefusedDocument {
  /** Derived from the invoice or session and the client's address, which is not stored. */
  readonly _id: string;
  readonly environmentId: string;
  /** Real times of the latest refused payments. */
  readonly refusedAt: readonly Date[];
  /** Real time of the latest refusal. */
  readonly changedAt: Date;
}

/** A paying client: an address or a network, and the resource that it pays. */
export interface PayingClient {
  /** UUID of the invoice or the session. */
  readonly resourceId: string;
  /** Undefined for a call with an API key, which is not limited here. */
  readonly network: string | undefined;
}

type Context = Pick<CallContext, 'tenant'>;

/** Recently refused payments, by invoice or session and client address. Prevents card testing. */
export class RefusedAttemptStore {
  private readonly documents: Collection<RefusedDocument>;

  constructor(
    db: Db,
    private readonly clock: Clock,
  ) {
    this.documents = db.collection<RefusedDocument>('refusedAttempts');
  }

  ensureIndexes(): Promise<void> {
    return ensureIndexes(this.documents, [{ name: 'changedAt', key: { changedAt: 1 } }]);
  }

  /** Throws resource_exhausted while too many payments of the client were refused. */
  async check(client: PayingClient, context: Context): Promise<void> {
    if (client.network === undefined) return;
    const _id = idOf(client, context);
    const found = await retryTransient(() => this.documents.findOne({ _id }));
    checkRefused(found?.refusedAt ?? [], this.clock.now());
  }

  async record(client: PayingClient, context: Context): Promise<void> {
    if (client.network === undefined) return;
    const now = this.clock.now();
    const { environmentId } = context.tenant;
    await retryTransient(() =>
      this.documents.updateOne(
        { _id: idOf(client, context) },
        {
          $set: { environmentId, changedAt: now },
          $push: { refusedAt: { $each: [now], $slice: -refusedMax } },
        },
        { upsert: true },
      ),
    );
  }

  /** Deletes entries that no longer limit a client. */
  async deleteExpired(): Promise<void> {
    const until = countedSince(this.clock.now());
    await retryTransient(() => this.documents.deleteMany({ changedAt: { $lt: until } }));
  }
}

function idOf({ resourceId, network }: PayingClient, { tenant }: Context): string {
  return derivedId(tenant.environmentId, 'refusedAttempts', resourceId, network ?? '');
}
