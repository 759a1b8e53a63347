import { setTimeout as sleep } from 'node:timers/promises';
import type { Document, MongoClient } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { createResource } from '../stage/api';
import { type Documents, documentsOf, settled } from '../stage/floor-data';
import type { StagedSystem } from '../stage/stage';
import { nowMs } from '../renewals/seed';

const inFlight = 16;
const dayMs = 24 * 60 * 60 * 1_000;
// Monthly periods that began this long ago are in their second period now.
const startedAgoMs = 32 * dayMs;
const leadMs = 2_000;
const pollMs = 50;
const timeoutMs = 300_000;
const outboxes = ['subscriptions', 'invoices', 'payers'] as const;
const owners = {
  subscriptions: 'subscription',
  invoices: 'checkout',
  payers: 'checkout',
  emails: 'notifier',
} as const;

/** A subscription of a customer of its own, two seats, paid by a saved card. */
export interface PaidSubscription {
  readonly id: string;
  readonly customerId: string;
  readonly productId: string;
  readonly invoiceId: string;
}

/** Subscriptions that the system has created and charged. */
export class PaidSubscriptions {
  private constructor(
    readonly system: StagedSystem,
    private readonly client: MongoClient,
    private readonly productId: string,
  ) {}

  static async open(system: StagedSystem, client: MongoClient): Promise<PaidSubscriptions> {
    const product = await createResource(system, '/products', {
      name: 'Seats',
      type: 'PER_UNIT',
      currency: 'USD',
      amount: 1900,
      billingInterval: 'MONTHLY',
    });
    return new PaidSubscriptions(system, client, product.id);
  }

  /** The sandbox of the subscriptions, as services pass it on. */
  async tenant() {
    const one = await settled(this.documents('subscriptions'), {});
    const { organizationId, environmentId } = one;
    return { organizationId, environmentId, live: false, manualClock: false };
  }

  /** Returns once they are paid, and all their work is done. */
  async create(count: number): Promise<readonly PaidSubscription[]> {
    const created = await inParallel(Array(count).keys(), () => this.createOne());
    const { invoices } = this.of(created);
    await until(async () => (await invoices({ status: 'PAID' })) === count);
    await this.untilQuiet(created, { mails: 1 });
    const found = await this.documents('invoices')
      .find({ subscriptionId: { $in: idsOf(created) } })
      .toArray();
    const invoiceIds = new Map(found.map(({ _id, subscriptionId }) => [subscriptionId, _id]));
    return created.map((one) => ({ ...one, invoiceId: invoiceIds.get(one.id) ?? '' }));
  }

  /** Adds a seat to each, and returns once its receipt is stored. */
  async addSeats(subscriptions: readonly PaidSubscription[]): Promise<void> {
    await inParallel(subscriptions.values(), async ({ id }) => {
      const asked = { quantity: 3, at: 'NOW' };
      const path = `/subscriptions/${id}/changes`;
      const change = await createResource<{ id: string; status: string }>(this.system, path, asked);
      if (!['APPLIED', 'PAYING'].includes(change.status)) throw new Error(change.status);
    });
    const { invoices } = this.of(subscriptions);
    const changed = { status: 'PAID', billingReason: 'SUBSCRIPTION_CHANGE' };
    await until(async () => (await invoices(changed)) === subscriptions.length);
    await this.untilQuiet(subscriptions, { mails: 2 });
  }

  /** Lets their second period begin at the moment when this returns. */
  async makeDue(subscriptions: readonly PaidSubscription[]): Promise<void> {
    const start = new Date(nowMs() - startedAgoMs);
    const dueAt = new Date(nowMs() + leadMs);
    await this.documents('subscriptions').updateMany(
      { _id: { $in: idsOf(subscriptions) } },
      { $set: { createdAt: start, startAt: start, anchor: start, dueAt } },
    );
    await sleep(Math.max(dueAt.getTime() - nowMs(), 0));
  }

  /** Returns once each renewal is paid, and its receipt is stored. */
  async untilRenewed(subscriptions: readonly PaidSubscription[]): Promise<void> {
    const { invoices } = this.of(subscriptions);
    const renewed = { status: 'PAID', billingReason: 'SUBSCRIPTION_CYCLE' };
    await until(async () => (await invoices(renewed)) === subscriptions.length);
    await this.untilQuiet(subscriptions, { mails: 2 });
  }

  private async createOne(): Promise<Omit<PaidSubscription, 'invoiceId'>> {
    const { productId } = this;
    const customer = await createResource(this.system, '/customers', {
      email: 'bench@example.com',
    });
    const { id } = await createResource(this.system, '/subscriptions', {
      customerId: customer.id,
      productId,
      quantity: 2,
      authorizedTransactionId: `txn_4242424242424242_${newId()}`,
    });
    return { id, customerId: customer.id, productId };
  }

  private of(subscriptions: readonly Pick<PaidSubscription, 'id'>[]) {
    const subscriptionId = { $in: idsOf(subscriptions) };
    return {
      invoices: (filter: Document) =>
        this.documents('invoices').countDocuments({ ...filter, subscriptionId }),
    };
  }

  private async untilQuiet(
    subscriptions: readonly Pick<PaidSubscription, 'customerId'>[],
    { mails }: { readonly mails: number },
  ): Promise<void> {
    const customerId = { $in: subscriptions.map((one) => one.customerId) };
    const emails = this.documents('emails');
    const wanted = mails * subscriptions.length;
    await until(async () => (await emails.countDocuments({ customerId })) >= wanted);
    const pending = { pendingSince: { $gt: new Date(0) } };
    for (const name of outboxes) {
      await until(async () => (await this.documents(name).findOne(pending)) === null);
    }
  }

  private documents(name: keyof typeof owners): Documents {
    const { databasePrefix } = this.system.site;
    return documentsOf(this.client, `${databasePrefix}_${owners[name]}`, name);
  }
}

function idsOf(subscriptions: readonly Pick<PaidSubscription, 'id'>[]): string[] {
  return subscriptions.map(({ id }) => id);
}

async function inParallel<T, Result>(
  queue: IterableIterator<T>,
  act: (item: T) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const worker = async () => {
    for (const item of queue) results.push(await act(item));
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return results;
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await isReached())) {
    if (performance.now() - startedMs > timeoutMs) throw new Error('The work did not end');
    await sleep(pollMs);
  }
}
