import { type Clock, systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { testContext } from '@billing/chassis/testing';
import { adjustmentOf } from '../balance/balance';
import { pay } from '../invoice/invoice';
import { reserve } from '../invoice/reservation';
import { balancesOn } from '../testing/balance';
import { asInvoice } from '../testing/invoice';
import { aRequest, startCheckout } from '../testing/rpc';
import { openReplicas, replicaOn, type Replicas } from '../testing/store';
import { beginReservation, type Reserved } from './change-reservation';
import { DueReservations, openReservations, reservationIdOf } from './reservation-store';
import { ReservationWorker } from './reservation-worker';

let replicas: Replicas;

beforeAll(async () => {
  replicas = await openReplicas();
  await dueAt(systemClock).ensureIndexes();
});

afterAll(() => replicas.close());

const deleted = new Set<string>();
const dueAt = (clock: Clock) =>
  new DueReservations(replicas.db, { clock, isDeleted: (id) => deleted.has(id) });

const currency = 'USD' as const;

/** A customer with a paid invoice and a balance, and the calls of a change. */
async function aScene({ clock = systemClock }: { readonly clock?: Clock } = {}) {
  const context = testContext();
  const customerId = newId();
  const invoiceId = await replicas.insertDraft(context, { customerId });
  const { invoices, balances, entries } = replicas.replica;
  await replicas.replica.worker.open(invoiceId, context);
  await invoices.within(context).mutate(invoiceId, (record, now) => ({
    state: pay(asInvoice(record), now),
    events: [],
    commands: [],
  }));
  const owner = { customerId, currency } as const;
  const adjust = (amount: bigint) =>
    balances.post(
      owner,
      { id: newId(), kind: 'ADJUSTMENT' },
      { amountOf: adjustmentOf(amount), context },
    );
  await adjust(1_000n);
  const lineItemId = (await replicas.read(invoiceId, context)).lineItems[0]?.id ?? '';
  /** Rounds with which changes are stored. */
  const changes = new Map<string, number>();
  /** Changes that the sweeper has asked for. */
  const asked: string[] = [];
  const subscription = {
    checkChange: ({ changeId, round }: { changeId: string; round: number }) => {
      asked.push(changeId);
      if (Number.isNaN(changes.get(changeId))) return Promise.reject(new Error('No answer'));
      return Promise.resolve({ exists: changes.get(changeId) === round });
    },
  } as unknown as ConstructorParameters<typeof ReservationWorker>[0]['peers']['subscription'];
  const aWorker = () => {
    const replica = replicaOn(replicas.db);
    const reservations = openReservations(replicas.db, systemClock);
    return new ReservationWorker({ ...replica, reservations, peers: { subscription }, clock });
  };
  const aReservation = (fields: Partial<Reserved> = {}): Reserved => ({
    ...{ ...owner, subscriptionId: newId(), changeInvoiceId: newId(), balance: 300n },
    credits: [{ invoiceId, lineItemId, amount: 500n }],
    ...fields,
  });
  const held = async () => {
    const { data } = await entries.list({ page: 1, perPage: 100, customerId }, context);
    return {
      credit: (await replicas.read(invoiceId, context)).reservation?.lines,
      entries: data.toReversed().map(({ kind, amount }) => [kind, amount]),
    };
  };
  return { context, invoiceId, lineItemId, changes, asked, aWorker, aReservation, held, adjust };
}

const firstOf = (changeId: string) => ({ changeId, round: 1 });
const posted = ['ADJUSTMENT', 1_000n];
const applied = ['APPLIED', -300n];
const returned = ['RETURNED', 300n];

test('a round is reserved once by retries in several replicas, and freed once', async () => {
  const { context, lineItemId, aWorker, aReservation, held } = await aScene();
  const round = firstOf(newId());
  const reserved = aReservation();
  await Promise.all([1, 2, 3, 4].map(() => aWorker().reserve(round, reserved, context)));
  expect(await held()).toEqual({
    credit: [{ lineItemId, amount: 500n }],
    entries: [posted, applied],
  });
  await Promise.all([1, 2, 3].map(() => aWorker().release(round, context)));
  expect(await held()).toEqual({ credit: undefined, entries: [posted, applied, returned] });
  await expect(aWorker().reserve(round, reserved, context)).rejects.toMatchObject({
    reason: 'RESERVATION_RELEASED',
  });
  await aWorker().reserve({ ...round, round: 2 }, reserved, context);
  expect((await held()).entries).toEqual([posted, applied, returned, applied]);
});

test.each([
  ['another balance', { balance: 200n }],
  ['no balance', { balance: undefined }],
  ['another credit', { credits: [] }],
  ['another invoice of the change', { changeInvoiceId: newId() }],
])('a repeat with %s is refused and frees the round', async (_what, changed) => {
  const { context, aWorker, aReservation, held } = await aScene();
  const round = firstOf(newId());
  const reserved = aReservation();
  await aWorker().reserve(round, reserved, context);
  const repeat = aWorker().reserve(round, { ...reserved, ...changed }, context);
  await expect(repeat).rejects.toMatchObject({
    kind: 'failed_precondition',
    reason: 'RESERVATION_RELEASED',
  });
  expect(await held()).toEqual({ credit: undefined, entries: [posted, applied, returned] });
});

test('a repeat with another content frees what a stopped call had reserved', async () => {
  const { context, aWorker, aReservation, held } = await aScene();
  const round = firstOf(newId());
  const reserved = aReservation();
  const id = reservationIdOf(round, context);
  const begun = beginReservation({ id, ...round }, reserved, systemClock.now());
  await openReservations(replicas.db, systemClock).within(context).insert(begun);
  await replicas.replica.invoices
    .within(context)
    .mutate(reserved.credits[0]!.invoiceId, (record) => reserve(record, { ...round, ...reserved }));
  const repeat = aWorker().reserve(round, { ...reserved, credits: [] }, context);
  await expect(repeat).rejects.toMatchObject({ reason: 'RESERVATION_RELEASED' });
  expect((await held()).credit).toBeUndefined();
});

test('a release that comes first makes its reservation fail', async () => {
  const { context, aWorker, aReservation, held } = await aScene();
  const round = firstOf(newId());
  await aWorker().release(round, context);
  await expect(aWorker().reserve(round, aReservation(), context)).rejects.toMatchObject({
    kind: 'failed_precondition',
    reason: 'RESERVATION_RELEASED',
  });
  expect(await held()).toEqual({ credit: undefined, entries: [posted] });
});

test('a reservation of more than the balance holds leaves nothing reserved', async () => {
  const { context, aWorker, aReservation, held } = await aScene();
  const reserved = aReservation({ balance: 1_001n });
  await expect(aWorker().reserve(firstOf(newId()), reserved, context)).rejects.toMatchObject({
    reason: 'BALANCE_MOVED',
  });
  expect(await held()).toEqual({ credit: undefined, entries: [posted] });
});

test.each([
  ['asked no balance posts no entry', undefined, 0],
  ['asked one leaves its tombstone', 0n, 1],
])('the release of a round that %s', async (_what, balance, count) => {
  const { context, aWorker, aReservation } = await aScene();
  const round = firstOf(newId());
  const reserved = aReservation({ balance });
  await aWorker().reserve(round, reserved, context);
  await aWorker().release(round, context);
  const stored = replicas.db.collection('balanceEntries');
  expect(await stored.countDocuments({ invoiceId: reserved.changeInvoiceId })).toBe(count);
});

test('a change waits for the reservation of another one', async () => {
  const { context, aWorker, aReservation, held } = await aScene();
  const [first, second] = [firstOf(newId()), firstOf(newId())];
  await aWorker().reserve(first, aReservation(), context);
  const waiting = aWorker().reserve(second, aReservation({ balance: undefined }), context);
  await aWorker().release(first, context);
  await waiting;
  expect((await held()).credit).toHaveLength(1);
});

test('the opening of the change invoice uses the entry of its round', async () => {
  const { context, aWorker, aReservation, held } = await aScene();
  const round = firstOf(newId());
  const reserved = aReservation();
  await aWorker().reserve(round, reserved, context);
  const { changeInvoiceId: id, customerId } = reserved;
  await replicas.insertDraft(context, { id, customerId, balanceRound: 1 });
  await replicas.replica.worker.open(id, context);
  expect(await replicas.read(id, context)).toMatchObject({ status: 'OPEN', balanceApplied: 300n });
  expect((await held()).entries).toEqual([posted, applied]);
});

test('a release leaves to an invoice what it uses', async () => {
  const { context, aWorker, aReservation, held } = await aScene();
  const round = firstOf(newId());
  const reserved = aReservation();
  await aWorker().reserve(round, reserved, context);
  const { changeInvoiceId: id, customerId } = reserved;
  await replicas.insertDraft(context, { id, customerId, balanceRound: 1 });
  await replicas.replica.worker.open(id, context);
  await aWorker().release(round, context);
  expect((await held()).entries).toEqual([posted, applied]);
});

test('a retry finds in the balance what the round of an invoice has taken', async () => {
  const { context, aWorker, aReservation } = await aScene();
  const reserved = aReservation();
  await aWorker().reserve(firstOf(newId()), reserved, context);
  const { balances } = replicas.replica;
  const invoice = { id: reserved.changeInvoiceId, customerId: reserved.customerId, currency };
  expect(await balances.takenBy(invoice, { round: 1 }, context)).toBe(300n);
  expect(await balances.takenBy(invoice, { round: 2 }, context)).toBe(0n);
});

describe('the first invoice of a subscription whose creation has reserved', () => {
  const created = async () => {
    const scene = await aScene();
    const subscriptionId = newId();
    const round = firstOf(subscriptionId);
    const reserved = scene.aReservation({ subscriptionId, credits: [] });
    await scene.aWorker().reserve(round, reserved, scene.context);
    const { changeInvoiceId: id, customerId } = reserved;
    const { invoices, worker } = replicas.replica;
    const roundOf = (total: bigint) =>
      scene.aWorker().roundOfFirst({ id, subscriptionId, total }, scene.context);
    const open = async (balanceRound: number | undefined) => {
      const billingReason = 'SUBSCRIPTION_CREATE' as const;
      const draft = { id, customerId, billingReason, balanceRound };
      await replicas.insertDraft(scene.context, draft);
      await worker.open(id, scene.context);
      return invoices.within(scene.context).get(id);
    };
    return { ...scene, round, roundOf, open };
  };

  test('takes what is reserved, which nothing releases before it is there', async () => {
    const { context, round, roundOf, open, held, aWorker } = await created();
    expect(await roundOf(300n)).toBe(1);
    // A replica of 0.1.0 answers that there is no such creation.
    await aWorker().look(reservationIdOf(round, context), context);
    expect((await open(1)).state).toMatchObject({ balanceApplied: 300n });
    expect((await held()).entries).toEqual([posted, applied]);
  });

  test('leaves a released round alone, whose amount is the balance again', async () => {
    const { context, round, roundOf, open, held, aWorker } = await created();
    await aWorker().look(reservationIdOf(round, context), context);
    expect(await roundOf(2_900n)).toBe(2);
    expect((await open(2)).state).toMatchObject({ balanceApplied: 1_000n });
    const entries = [posted, applied, returned, ['APPLIED', -1_000n]];
    expect((await held()).entries).toEqual(entries);
  });

  test('of less than what is reserved takes what the balance holds', async () => {
    const { roundOf, open, held } = await created();
    expect(await roundOf(299n)).toBe(2);
    expect(await roundOf(299n)).toBe(2);
    // Its invoice decides.
    expect((await held()).entries).toEqual([posted, applied]);
    expect((await open(2)).state).toMatchObject({ balanceApplied: 1_000n });
    const entries = [posted, applied, returned, ['APPLIED', -1_000n]];
    expect((await held()).entries).toEqual(entries);
  });

  test('takes the reserved amount once if two calls compute another total', async () => {
    const { context, round, roundOf, open, held, aWorker } = await created();
    expect(await roundOf(300n)).toBe(1);
    expect(await roundOf(299n)).toBe(2);
    expect((await open(1)).state).toMatchObject({ balanceApplied: 300n });
    await aWorker().look(reservationIdOf(round, context), context);
    expect((await held()).entries).toEqual([posted, applied]);
  });

  test('asks for no round if another invoice has it, or nothing is reserved', async () => {
    const { context, aWorker, aReservation } = await aScene();
    const subscriptionId = newId();
    const invoice = { id: newId(), subscriptionId, total: 300n };
    expect(await aWorker().roundOfFirst(invoice, context)).toBeUndefined();
    const reserved = aReservation({ subscriptionId, credits: [] });
    await aWorker().reserve(firstOf(subscriptionId), reserved, context);
    expect(await aWorker().roundOfFirst(invoice, context)).toBeUndefined();
  });

  test('takes it also from a replica that does not name the round', async () => {
    const { checkout, configuration, stop } = await startCheckout();
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    const mongo = await connectMongo({ uri, database, service: 'checkout', maxPoolSize: 1 });
    try {
      const context = testContext();
      const request = aRequest();
      const { subscriptionId, customerId, invoiceId: changeInvoiceId } = request;
      await balancesOn(mongo.db).balances.post(
        { customerId, currency },
        { id: newId(), kind: 'ADJUSTMENT' },
        { amountOf: adjustmentOf(300n), context },
      );
      const round = { changeId: subscriptionId, round: 1, subscriptionId, changeInvoiceId };
      const reservation = { ...round, customerId, currency, credits: [], balance: 300n };
      await checkout.reserveForChange(reservation, context);
      const { invoice } = await checkout.createInvoice(request, context);
      expect(invoice).toMatchObject({ balanceApplied: 300n, amountDue: 2_600n });
    } finally {
      await mongo.close();
      await stop();
    }
  });
});

test('the calls reserve and release, and name what is wrong', async () => {
  const { checkout, stop } = await startCheckout();
  try {
    const context = testContext();
    const change = { changeId: newId(), round: 1 };
    const request = {
      ...{ ...change, currency, credits: [], balance: 0n },
      ...{ subscriptionId: newId(), customerId: newId(), changeInvoiceId: newId() },
    };
    await checkout.reserveForChange(request, context);
    await checkout.releaseForChange({ ...change, keepBalance: false }, context);
    await expect(checkout.reserveForChange(request, context)).rejects.toMatchObject({
      reason: 'RESERVATION_RELEASED',
    });
    const credit = { invoiceId: newId(), lineItemId: newId(), amount: 1n };
    const later = { ...request, round: 2 };
    for (const [credits, error] of [
      [[credit], { reason: 'INVOICE_NOT_FOUND' }],
      [[credit, credit], { fields: { credits: ['Repeated line item'] } }],
      [[{ ...credit, lineItemId: 'x' }], { fields: { credits: ['Invalid uuid'] } }],
    ] as const) {
      const sent = { ...later, credits: [...credits] };
      await expect(checkout.reserveForChange(sent, context)).rejects.toMatchObject(error);
    }
  } finally {
    await stop();
  }
});

describe('the sweeper', () => {
  const ahead: Clock = { now: () => new Date(systemClock.now().getTime() + 61_000) };
  const sweep = (worker: ReservationWorker, clock: Clock) =>
    dueAt(clock).sweep((id, context) => worker.look(id, context), new AbortController().signal);

  test('releases a reservation whose change was never stored, and frees it a second time', async () => {
    const { context, asked, aWorker, aReservation, held } = await aScene();
    const round = firstOf(newId());
    await aWorker().reserve(round, aReservation(), context);
    await sweep(aWorker(), systemClock);
    expect(asked).not.toContain(round.changeId);
    await sweep(aWorker(), ahead);
    expect(asked.filter((id) => id === round.changeId)).toHaveLength(1);
    expect(await held()).toEqual({ credit: undefined, entries: [posted, applied, returned] });
    const lookAt = async () => {
      const documents = replicas.db.collection<{ _id: string; lookAt: Date | null }>(
        'changeReservations',
      );
      return (await documents.findOne({ _id: reservationIdOf(round, context) }))?.lookAt;
    };
    expect(await lookAt()).toBeInstanceOf(Date);
    await sweep(aWorker(), ahead);
    expect(await lookAt()).toBeNull();
  });

  test('postpones a look that fails, so that others are not blocked', async () => {
    const broken = await aScene();
    const round = firstOf(newId());
    const worker = broken.aWorker();
    await worker.reserve(round, broken.aReservation(), broken.context);
    broken.changes.set(round.changeId, Number.NaN);
    const lookAt = async () => {
      const id = reservationIdOf(round, broken.context);
      const found = await openReservations(replicas.db, systemClock).within(broken.context).get(id);
      return found.state.lookAt?.getTime() ?? 0;
    };
    const before = await lookAt();
    await expect(sweep(worker, ahead)).rejects.toThrow('No answer');
    expect(await lookAt()).toBeGreaterThan(before);
    expect((await broken.held()).entries).toEqual([posted, applied]);
    broken.changes.delete(round.changeId);
    await broken.aWorker().release(round, broken.context);
  });

  test('looks at live reservations first, and at none of a deleted environment', async () => {
    const seen: string[] = [];
    const rounds: string[] = [];
    for (const live of [false, true, true]) {
      const context = testContext({ tenant: { live } });
      const round = firstOf(newId());
      const id = reservationIdOf(round, context);
      const reserved = { subscriptionId: newId(), customerId: newId(), currency } as const;
      const content = { ...reserved, changeInvoiceId: newId(), credits: [], balance: undefined };
      const begun = beginReservation({ id, ...round }, content, systemClock.now());
      await openReservations(replicas.db, systemClock).within(context).insert(begun);
      rounds.push(id);
      if (rounds.length === 3) deleted.add(context.tenant.environmentId);
    }
    const look = (id: string) => Promise.resolve(void seen.push(id));
    await dueAt(ahead).sweep(look, new AbortController().signal);
    expect(seen.filter((id) => rounds.includes(id))).toEqual([rounds[1], rounds[0]]);
    await replicas.db
      .collection('changeReservations')
      .deleteMany({ _id: { $in: rounds as never[] } });
  });

  test('releases the lost round of a change that was stored with another one', async () => {
    const { context, changes, aWorker, aReservation, held } = await aScene();
    const round = firstOf(newId());
    const reserved = aReservation();
    await aWorker().reserve(round, { ...reserved, credits: [] }, context);
    await aWorker().reserve({ ...round, round: 2 }, reserved, context);
    changes.set(round.changeId, 2);
    await sweep(aWorker(), ahead);
    const { credit, entries } = await held();
    expect(credit).toHaveLength(1);
    expect(entries).toEqual([posted, applied, applied, returned]);
  });

  test('leaves the reservation of a stored change alone', async () => {
    const { context, asked, changes, aWorker, aReservation, held } = await aScene();
    const round = firstOf(newId());
    changes.set(round.changeId, 1);
    const reserved = aReservation();
    await aWorker().reserve(round, reserved, context);
    await sweep(aWorker(), ahead);
    await sweep(aWorker(), ahead);
    expect(asked.filter((id) => id === round.changeId)).toHaveLength(1);
    const repeat = aWorker().reserve(round, { ...reserved, balance: undefined }, context);
    await expect(repeat).rejects.toMatchObject({ reason: 'RESERVATION_RELEASED' });
    expect((await held()).entries).toEqual([posted, applied]);
  });
});
