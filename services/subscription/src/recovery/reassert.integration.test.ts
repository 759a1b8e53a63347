import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { eventually } from '@billing/chassis/testing';
import { recoverInTest } from '@billing/chassis/testing/recover';
import {
  type CreateInvoiceRequest,
  InvoiceStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { ChangeKind } from '@billing/proto/billing/subscription/v1/change';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import { day } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { type ServiceUnderTest, startServiceUnderTest } from '../testing/service-under-test';
import { aMeteredProduct, aMeterPrice, asking, later, usageScene } from '../testing/usage-scene';

let mongo: MongoConnection;

// A restore concerns all subscriptions, so that no test forgets what the peers have received.
const under = {} as ServiceUnderTest;

beforeAll(async () => {
  Object.assign(under, await startServiceUnderTest());
  under.peers.products.set('metered', aMeteredProduct('metered', [aMeterPrice()]));
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = under.configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await under.stop();
});

const { reach, invoiced, settled, subscribe } = usageScene(under);
const reassert = () => recoverInTest(under.configuration, ['reassert']);

const documents = () => mongo.db.collection('subscriptions').find().sort({ _id: 1 }).toArray();

const documentOf = async (id: string) =>
  (await mongo.db.collection('subscriptions').findOne({ _id: id as never }))!;

/** Puts a subscription back to an earlier copy of its document. */
async function putBack(copy: Awaited<ReturnType<typeof documentOf>>): Promise<void> {
  const { version } = await documentOf(String(copy._id));
  // Caches of the running service have no document of this version.
  const restored = { ...copy, version: Number(version) + 10, changedAt: new Date() };
  await mongo.db.collection('subscriptions').replaceOne({ _id: copy._id }, restored);
}

/** A subscription with three periods, and its invoices in their order. */
async function threePeriods() {
  const { metering } = under.peers;
  metering.usageOf = ({ periodIndex }) => String(300 + 100 * periodIndex);
  const { id, context } = await subscribe();
  await reach(later(context, day('02-28')));
  await invoiced(id, 2);
  await reach(later(context, day('03-31')));
  await invoiced(id, 3);
  await settled(context, day('03-31'));
  return { id, context, requests: requestsOf(id) };
}

function requestsOf(id: string): CreateInvoiceRequest[] {
  return under.peers.invoices
    .map(({ request }) => request)
    .filter(({ subscriptionId }) => subscriptionId === id);
}

/** Puts checkout back to when it had the first invoices of a subscription. */
function forgetInvoices(id: string, kept: number): void {
  const { invoices } = under.peers;
  const forgotten = new Set(requestsOf(id).slice(kept));
  invoices.splice(0, Infinity, ...invoices.filter(({ request }) => !forgotten.has(request)));
}

describe('after a restore', () => {
  test('a subscription bills again the periods whose invoices checkout has lost, each once', async () => {
    const { id, requests } = await threePeriods();
    forgetInvoices(id, 1);
    const { reassert: counts } = await reassert();
    expect(counts).toMatchObject({ bills: 2 });
    expect(requestsOf(id)).toEqual(requests);
    await reassert();
    expect(requestsOf(id)).toEqual(requests);
  });

  test('metering takes the usage of invoices that stand as their settlements', async () => {
    const { id } = await threePeriods();
    const { settlements } = under.peers.metering;
    settlements.splice(0);
    await reassert();
    const own = settlements.filter(({ subscriptionId }) => subscriptionId === id);
    const billed = own.map(({ key, billed: { usages } = { usages: [] } }) => [
      key,
      usages.map(({ periodIndex, difference }) => [periodIndex, difference?.quantity]),
    ]);
    expect(billed).toEqual([
      ['period:0', [[0, '300']]],
      [
        'period:1',
        [
          [0, '0'],
          [1, '400'],
        ],
      ],
    ]);
  });

  test('an invoice whose usage metering refuses is counted, and nothing is billed', async () => {
    const { id } = await threePeriods();
    const { metering } = under.peers;
    metering.forget(id);
    metering.refused = id;
    const requests = requestsOf(id);
    const { reassert: counts } = await reassert();
    metering.refused = undefined;
    expect(counts).toMatchObject({ usageRefused: 1 });
    expect(counts).not.toHaveProperty('failed');
    expect(metering.settledOf(id)).toEqual([]);
    expect(requestsOf(id)).toEqual(requests);
  });

  test('a bill that is still ordered takes the usage of the invoice that stands', async () => {
    const { peers } = under;
    const { metering } = peers;
    metering.usageOf = () => '300';
    const { id, context } = await subscribe();
    await reach(later(context, day('02-28')));
    await invoiced(id, 2);
    await settled(context, day('02-28'));
    const renewAt = later(context, day('03-31'));
    peers.isInvoicingDown = true;
    await reach(renewAt);
    const copy = await documentOf(id);
    expect(copy['pendingSince']).not.toBeNull();
    peers.isInvoicingDown = false;
    await invoiced(id, 3);
    await settled(context, renewAt.now);
    await putBack(copy);
    // The events of 200 units are lost, and so are the settlements.
    metering.usageOf = () => '100';
    metering.forget(id);
    await recoverInTest(under.configuration, ['reassert'], {
      after: {
        reassert: () =>
          eventually(async () => {
            expect(await documentOf(id)).toMatchObject({ pendingSince: null });
          }),
      },
    });
    const [first, second, ...others] = metering.settledOf(id);
    expect([first, second]).toEqual([
      ['period:0', [[0, '300']]],
      ['period:1', expect.arrayContaining([[1, '300']])],
    ]);
    expect(others).toEqual([]);
    expect(Number((await documentOf(id))['usage'].lastBill)).toBe(2);
  });

  test('the state of an unharmed system stays as it is, and announces nothing', async () => {
    const { id, context } = await threePeriods();
    const { id: canceled, context: at } = await subscribe();
    await under.subscription.cancelSubscription(
      { id: canceled, atPeriodEnd: false },
      later(at, day('02-10')),
    );
    await settled(at, day('02-10'));
    await settled(context, day('03-31'));
    const [before, events] = [await documents(), await under.eventsOf(id)];
    const requests = under.peers.invoices.map(({ request }) => request);
    await reassert();
    expect(await documents()).toEqual(before);
    expect(await under.eventsOf(id)).toEqual(events);
    expect(under.peers.invoices.map(({ request }) => request)).toEqual(requests);
  });

  test('the end of a subscription voids its invoice and bills its usage again', async () => {
    const { peers } = under;
    peers.metering.usageOf = () => '300';
    const { id, context } = await subscribe();
    await under.subscription.cancelSubscription(
      { id, atPeriodEnd: false },
      later(context, day('02-10')),
    );
    await invoiced(id, 2);
    await settled(context, day('02-10'));
    const requests = requestsOf(id);
    forgetInvoices(id, 1);
    peers.voids.splice(0);
    const { reassert: counts } = await reassert();
    expect(counts).toMatchObject({ ends: 1 });
    expect(requestsOf(id)).toEqual(requests);
    const voided = peers.voids.map(({ request }) => request.invoiceId);
    expect(voided).toContain(requests[0]?.invoiceId);
  });
});

test('an end without usage voids its invoice again, and waits for a payment that runs', async () => {
  const { peers } = under;
  const { id, context } = await subscribe('product');
  const cancel = { id, atPeriodEnd: false };
  await under.subscription.cancelSubscription(cancel, later(context, day('02-10')));
  await settled(context, day('02-10'));
  const [request] = requestsOf(id);
  peers.voids.splice(0);
  peers.isPaymentRunning = true;
  const { reassert: counts } = await recoverInTest(under.configuration, ['reassert', 'catchUp'], {
    after: {
      reassert: async () => {
        peers.isPaymentRunning = false;
        return Promise.resolve();
      },
    },
  });
  expect(counts?.['endsPostponed']).toBeGreaterThan(0);
  const voided = peers.voids.map(({ request: { invoiceId } }) => invoiceId);
  expect(voided).toContain(request?.invoiceId);
});

test('an end that waits for a payment until the last attempt is counted as left', async () => {
  const { peers } = under;
  const { id, context } = await subscribe('product');
  const cancel = { id, atPeriodEnd: false };
  await under.subscription.cancelSubscription(cancel, later(context, day('02-10')));
  await settled(context, day('02-10'));
  peers.isPaymentRunning = true;
  const { catchUp } = await recoverInTest(under.configuration, ['reassert', 'catchUp']);
  peers.isPaymentRunning = false;
  expect(catchUp?.['endsLeft']).toBeGreaterThan(0);
  const again = await recoverInTest(under.configuration, ['reassert', 'catchUp']);
  expect(again['catchUp']).not.toHaveProperty('endsLeft');
});

test('a result for a period that the subscription has yet to enter again waits', async () => {
  const { id, context, requests } = await threePeriods();
  const [, , last] = requests;
  const collection = mongo.db.collection('subscriptions');
  const apply = () =>
    under.subscription.applyCollectionResult(
      {
        subscriptionId: id,
        resultNumber: 1,
        outcome: CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
        attempt: 1,
        invoice: anInvoice(last!, InvoiceStatus.INVOICE_STATUS_PAID),
        nextAttemptAt: undefined,
      },
      later(context, day('03-31')),
    );
  const now = await collection.findOne({ _id: id as never });
  const back = { periodIndex: 1, openInvoices: [], version: Number(now?.version) + 10 };
  await collection.updateOne({ _id: id as never }, { $set: back });
  await expect(apply()).rejects.toMatchObject({ reason: 'RESULT_TOO_EARLY' });
  await collection.updateOne({ _id: id as never }, { $set: { periodIndex: 2 } });
  await expect(apply()).resolves.toEqual({});
});

test('after a restore the usage invoice of a pause that checkout has lost is made again, and adopted if it stands', async () => {
  const { metering } = under.peers;
  metering.usageOf = () => '300';
  const { id, context } = await subscribe();
  const pausedAt = later(context, day('02-14'));
  const pause = asking(id, '', { kind: ChangeKind.CHANGE_KIND_PAUSE });
  const call = { ...pause, metadata: undefined, previewToken: undefined };
  await under.change.createChange(call, pausedAt);
  await invoiced(id, 2);
  await settled(context, day('02-14'));
  const requests = requestsOf(id);
  forgetInvoices(id, 1);
  metering.forget(id);
  await reassert();
  expect(requestsOf(id)).toEqual(requests);
  metering.forget(id);
  await reassert();
  expect(metering.settledOf(id)).toEqual([['cut:0', [[0, '300']]]]);
  expect(requestsOf(id)).toEqual(requests);
});
