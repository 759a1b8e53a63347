import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';
import type { CardExpiry } from '../provider/port/payment-provider';
import { openReplicas, type Replicas } from '../testing/store';
import { ExpiringCardStore, type ExpiringCardDependencies } from './expiring-card-store';
import { payerDefinition, paymentMethodDefinition } from './store';

const savedAt = new Date('2026-01-05T12:00:00.000Z');
const march = { month: 3, year: 2031 };
let replicas: Replicas;

beforeAll(async () => {
  replicas = await openReplicas();
});

afterAll(() => replicas.close());

interface Subscription {
  readonly id: string;
  readonly customerId: string;
}

/** Customers of an environment of their own, their cards, and their subscriptions at the peer. */
function scene({ isFiltering = true } = {}) {
  const { db } = replicas;
  const { methods } = replicas.replica;
  const context = testContext({ now: savedAt });
  const times = { usedAt: savedAt, savedAt };
  const subscriptions: Subscription[] = [];
  const invoiced = new Set<string>();
  const deleted = new Set<string>();
  const listSubscriptions = (request: {
    status?: SubscriptionStatus;
    customerIds?: { ids: string[] };
    page: number;
    perPage: number;
  }) => {
    const { customerIds, page, perPage } = request;
    const wanted = customerIds?.ids ?? [];
    // All subscriptions are ACTIVE, the first status that is asked for.
    const all = subscriptions.filter(
      ({ customerId }) =>
        request.status === SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE &&
        (!isFiltering || wanted.includes(customerId)),
    );
    const shown = all.slice((page - 1) * perPage, page * perPage);
    return Promise.resolve({ subscriptions: shown, total: all.length });
  };
  const find = (id: string) => {
    const collectionMethod = invoiced.has(id)
      ? CollectionMethod.COLLECTION_METHOD_SEND_INVOICE
      : CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY;
    return Promise.resolve(deleted.has(id) ? undefined : { id, collectionMethod });
  };
  const peers = {
    customers: { find },
    subscription: { listSubscriptions },
  } as unknown as ExpiringCardDependencies['peers'];
  const cards = new ExpiringCardStore({
    saved: new AggregateCollection(db, paymentMethodDefinition, { clock: systemClock }),
    payers: new AggregateCollection(db, payerDefinition, { clock: systemClock }),
    subscriptions: methods.subscriptions,
    peers,
  });
  const card = async (customerId: string, expiry: CardExpiry | undefined, isDefault = true) => {
    const typed = { provider: 'sandbox', providerMethodId: 'p', brand: 'visa', last4: '4242' };
    const method = { id: newId(), customerId, ...typed, expiry, ...times };
    const { id: methodId } = await methods.save(method, context);
    await methods.keep({ customerId, methodId, ...times }, { asDefault: isDefault }, context);
    return methodId;
  };
  const subscribe = async (customerId: string, methodId?: string) => {
    const id = newId();
    subscriptions.push({ id, customerId });
    if (methodId === undefined) return;
    await methods.subscriptions.give(id, { customerId, methodId, ...times }, context);
  };
  const found = async (now: string, until: string) => {
    const at = { ...context, now: new Date(now) };
    const { cards: listed, isMore } = await cards.list(new Date(until), at);
    return { ids: listed.map(({ id }) => id), isMore };
  };
  return {
    card,
    subscribe,
    found,
    invoiced,
    deleted,
    remove: methods.remove.bind(methods),
    context,
  };
}

const inMarch = ['2031-02-10', '2031-04-01'] as const;

test('a card that is charged is found before it expires, and shortly after', async () => {
  const { card, subscribe, found } = scene();
  const customerId = newId();
  const id = await card(customerId, march);
  await subscribe(customerId);
  const shown = { ids: [id], isMore: false };
  const nothing = { ids: [], isMore: false };
  expect(await found(...inMarch)).toEqual(shown);
  expect(await found('2031-05-10', '2031-07-01')).toEqual(shown);
  expect(await found('2031-01-10', '2031-03-01')).toEqual(nothing);
  expect(await found('2031-06-10', '2031-08-01')).toEqual(nothing);
});

test("a subscription's own card is found, although another card is the default", async () => {
  const { card, subscribe, found } = scene();
  const customerId = newId();
  const own = await card(customerId, march);
  const later = await card(customerId, { month: 12, year: 2040 });
  await subscribe(customerId, own);
  await subscribe(customerId, later);
  expect((await found(...inMarch)).ids).toEqual([own]);
});

test('cards to which nothing is charged are not found', async () => {
  const { card, subscribe, found, invoiced, deleted, remove, context } = scene();
  const [idle, replaced, byInvoice, erased, removing] = Array.from({ length: 5 }, newId);
  await card(idle!, march);
  const old = await card(replaced!, march);
  await subscribe(replaced!, await card(replaced!, { month: 12, year: 2040 }));
  for (const customerId of [byInvoice!, erased!, removing!]) {
    const methodId = await card(customerId, march);
    await subscribe(customerId);
    if (customerId === removing)
      await remove({ customerId, methodId }, { isCharged: false }, context);
  }
  invoiced.add(byInvoice!);
  deleted.add(erased!);
  expect(old).not.toBe('');
  expect(await found(...inMarch)).toEqual({ ids: [], isMore: false });
});

test('the cards that expire first come first, and at most 100 are listed', async () => {
  const { card, subscribe, found } = scene();
  const give = async (expiry: CardExpiry) => {
    const customerId = newId();
    await subscribe(customerId);
    return card(customerId, expiry);
  };
  const first = await give({ month: 2, year: 2031 });
  await Promise.all(Array.from({ length: 110 }, () => give(march)));
  const earliest = await give({ month: 1, year: 2031 });
  const { ids, isMore } = await found(...inMarch);
  expect([ids.length, new Set(ids).size, isMore]).toEqual([100, 100, true]);
  expect(ids.slice(0, 2)).toEqual([earliest, first]);
});

test('nothing is listed while the subscription service ignores the filter', async () => {
  const { card, subscribe, found } = scene({ isFiltering: false });
  const customerId = newId();
  await card(customerId, march);
  await subscribe(customerId);
  await subscribe(newId());
  expect(await found(...inMarch)).toEqual({ ids: [], isMore: true });
});
