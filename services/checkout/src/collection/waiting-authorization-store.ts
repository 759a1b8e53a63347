import type { Collection, Db } from 'mongodb';
import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { Authorization, PaymentMethodWorker } from '../payment-method/payment-method-worker';

type Context = Pick<CallContext, 'tenant' | 'now'>;
type SubscriptionAuthorization = Authorization & { readonly subscriptionId: string };

interface WaitingDocument extends Authorization {
  /** Id of the subscription. */
  readonly _id: string;
  readonly organizationId: string;
  readonly environmentId: string;
  /** Time at which the authorization was given. */
  readonly givenAt: Date;
}

const batchSize = 100;

/**
 * Authorizations of live environments whose cards are saved once a payment provider is configured.
 */
export class WaitingAuthorizationStore {
  private readonly documents: Collection<WaitingDocument>;

  constructor(
    db: Db,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.documents = db.collection<WaitingDocument>('waitingAuthorizations');
  }

  /** Adds an authorization; a retry changes nothing. */
  async add(
    { subscriptionId: _id, customerId, authorizedTransactionId }: SubscriptionAuthorization,
    { tenant: { organizationId, environmentId }, now: givenAt }: Context,
  ): Promise<void> {
    const ids = { _id, organizationId, environmentId, customerId, authorizedTransactionId };
    try {
      await retryTransient(() => this.documents.insertOne({ ...ids, givenAt }));
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
  }

  /**
   * Saves the cards of all waiting authorizations once a provider is configured. Failed lookups are
   * retried by the next run.
   */
  async keepAll(
    saver: Pick<PaymentMethodWorker, 'keepAuthorized'>,
    signal: AbortSignal,
  ): Promise<void> {
    let after = '';
    for (;;) {
      const found = await retryTransient(() =>
        this.documents
          .find({ _id: { $gt: after } })
          .sort({ _id: 1 })
          .limit(batchSize)
          .toArray(),
      );
      const last = found.at(-1);
      if (last === undefined || signal.aborted) return;
      await Promise.all(found.map((document) => this.keep(document, saver)));
      after = last._id;
    }
  }

  private async keep(
    document: WaitingDocument,
    saver: Pick<PaymentMethodWorker, 'keepAuthorized'>,
  ): Promise<void> {
    const { _id: subscriptionId, organizationId, environmentId, givenAt: now } = document;
    const { customerId, authorizedTransactionId } = document;
    // Sandboxes always have a provider.
    const tenant = { organizationId, environmentId, live: true, manualClock: false };
    const authorization = { subscriptionId, customerId, authorizedTransactionId };
    try {
      await saver.keepAuthorized(authorization, { tenant, now });
      await retryTransient(() => this.documents.deleteOne({ _id: subscriptionId }));
    } catch (error) {
      this.logger.warn({ err: error, subscriptionId }, 'authorization card not saved');
    }
  }
}
