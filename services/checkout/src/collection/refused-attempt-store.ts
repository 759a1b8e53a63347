import type { Collection, Db } from 'mongodb';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { duplicateKeyIndex, ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { DomainError, isRefusal } from '@billing/kernel/domain-error';
import { waitForEffect } from '../provider/wait-for-effect';
import { checkRefused, countAttempt, countedSince, withdrawAttempt } from './refused-attempts';

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

/** A payment of a client. */
export interface ClientPayment<T> {
  readonly client: PayingClient;
  readonly pay: () => Promise<T>;
  /** False for an outcome that is known and no refusal, after which the client may pay again. */
  readonly isCounted: (paid: T) => boolean;
}

type Context = Pick<CallContext, 'tenant'>;

// Concurrent payments of one client are rare.
const triesMax = 10;

/** Recently refused payments, by invoice or session and client address. Prevents card testing. */
export class RefusedAttemptStore {
  private readonly documents: Collection<RefusedDocument>;

  constructor(
    db: Db,
    private readonly options: { readonly clock: Clock; readonly logger: Pick<Logger, 'warn'> },
  ) {
    this.documents = db.collection<RefusedDocument>('refusedAttempts');
  }

  ensureIndexes(): Promise<void> {
    return ensureIndexes(this.documents, [{ name: 'changedAt', key: { changedAt: 1 } }]);
  }

  /**
   * Makes a payment. It counts as refused from before its start, so that no refusal is forgotten
   * when a process or the database fails, and is withdrawn if it was not refused. Throws
   * resource_exhausted while too many payments of the client were refused, unless the payment was
   * begun before (`isBegun`).
   */
  async count<T>(
    { client, pay, isCounted }: ClientPayment<T>,
    context: Context & Pick<CallContext, 'deadline' | 'storing'>,
    { isBegun = false }: { readonly isBegun?: boolean } = {},
  ): Promise<T> {
    if (client.network === undefined) return pay();
    const { clock, logger } = this.options;
    // Without time to store its payment, the call counts nothing.
    context.storing?.close();
    context.storing?.check();
    const at = await this.begin(client, context, { isBegun });
    const withdraw = () => {
      const withdrawn = this.change(client, context, (all) => withdrawAttempt(all, at));
      const logged = withdrawn.catch((err: unknown) => {
        const { resourceId } = client;
        logger.warn({ err, resourceId }, 'payment that was not refused stays counted as refused');
      });
      return waitForEffect(logged, context, clock);
    };
    try {
      const paid = await pay();
      if (!isCounted(paid)) await withdraw();
      return paid;
    } catch (error) {
      // After any other error, the payment may go on.
      if (isRefusal(error) || isTooLateToStore(error)) await withdraw();
      throw error;
    }
  }

  /** Deletes entries that no longer limit a client. */
  async deleteExpired(): Promise<void> {
    const until = countedSince(this.options.clock.now());
    await retryTransient(() => this.documents.deleteMany({ changedAt: { $lt: until } }));
  }

  private async begin(
    client: PayingClient,
    context: Context,
    { isBegun }: { readonly isBegun: boolean },
  ): Promise<Date> {
    const now = this.options.clock.now();
    let at = now;
    await this.change(client, context, (refusedAt) => {
      if (!isBegun) checkRefused(refusedAt, now);
      const counted = countAttempt(refusedAt, now);
      at = counted.at;
      return counted.refusedAt;
    });
    return at;
  }

  /** Replaces the times by the result of `decide`, by compare-and-set. */
  private async change(
    client: PayingClient,
    context: Context,
    decide: (refusedAt: readonly Date[]) => readonly Date[],
  ): Promise<void> {
    const _id = idOf(client, context);
    const { environmentId } = context.tenant;
    for (let tried = 1; tried <= triesMax; tried += 1) {
      const found = await retryTransient(() => this.documents.findOne({ _id }));
      const refusedAt = decide(found?.refusedAt ?? []);
      const change = { environmentId, refusedAt, changedAt: this.options.clock.now() };
      if (await this.replace({ _id, refusedAt: found?.refusedAt }, change)) return;
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  private async replace(
    { _id, refusedAt }: { readonly _id: string; readonly refusedAt: readonly Date[] | undefined },
    change: Omit<RefusedDocument, '_id'>,
  ): Promise<boolean> {
    const former = { _id, refusedAt: refusedAt ?? { $exists: false } };
    try {
      const { matchedCount, upsertedCount } = await retryTransient(() =>
        this.documents.updateOne(former, { $set: change }, { upsert: refusedAt === undefined }),
      );
      return matchedCount + upsertedCount > 0;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }
}

/** True if the call has begun no payment, since it had no time left to store it. */
function isTooLateToStore(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'TOO_LATE_TO_STORE';
}

function idOf({ resourceId, network }: PayingClient, { tenant }: Context): string {
  return derivedId(tenant.environmentId, 'refusedAttempts', resourceId, network ?? '');
}
