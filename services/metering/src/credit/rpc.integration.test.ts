import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { Aggregation, CreditSource } from '@billing/proto/billing/metering/v1/metering';
import { present, startMetering, startFolding } from '../testing/fixtures';

let service: Awaited<ReturnType<typeof startMetering>>;
let folding: Awaited<ReturnType<typeof startFolding>>;

beforeAll(async () => {
  service = await startMetering();
  folding = await startFolding(service.configuration);
});

afterAll(async () => {
  await folding.stop();
  await service.stop();
});

const now = new Date('2026-03-10T12:00:00Z');

async function aMeter(
  context: ReturnType<typeof testContext>,
  counting: { aggregation: Aggregation; uniqueProperty?: string } = {
    aggregation: Aggregation.AGGREGATION_SUM,
  },
): Promise<string> {
  const wanted = { name: 'Calls', ...counting, metadata: undefined };
  const { meter } = await service.metering.createMeter(wanted, context);
  return present(meter).id;
}

function grant(customerId: string, meterId: string, context: ReturnType<typeof testContext>) {
  const request = {
    customerId,
    meterId,
    amount: '10',
    effectiveAt: undefined,
    expiresAt: undefined,
    source: CreditSource.CREDIT_SOURCE_UNSPECIFIED,
    metadata: undefined,
  };
  return service.metering.createCreditGrant(request, context);
}

test('a grant is not stored if its usage cannot be read', async () => {
  const context = testContext({ now });
  const [meterId, customerId] = [await aMeter(context), present(service.customers.pop())];
  const parts = folding.db.collection<{ _id: string }>('usageParts');
  const k = `${context.tenant.environmentId}:${customerId}:${meterId}:`;
  const unreadable = { _id: `${k}:unreadable`, k, minutes: null };
  await parts.insertOne(unreadable);
  await expect(grant(customerId, meterId, context)).rejects.toThrow();
  expect(await folding.db.collection('creditAccounts').countDocuments({ customerId })).toBe(0);

  await parts.deleteOne({ _id: unreadable._id });
  const { creditGrant } = await grant(customerId, meterId, context);
  expect(creditGrant).toMatchObject({ amount: '10', remaining: '10', consumed: '0' });
});

test('a grant created during a running period is returned net of what that period has burnt', async () => {
  const context = testContext({ now });
  const [meterId, customerId] = [await aMeter(context), present(service.customers.pop())];
  // Unclaimed usage, which counts by calendar month.
  const event = { customerId, meterId, timestamp: now, quantity: 4 };
  await service.metering.ingestEvents({ body: Buffer.from(JSON.stringify([event])) }, context);
  const { creditGrant } = await grant(customerId, meterId, context);
  expect(creditGrant).toMatchObject({ amount: '10', remaining: '6', consumed: '4' });
});

test('credit totals count the grants of all meters when accounts span several pages', async () => {
  const context = testContext({ now });
  const [meterId, customerId] = [await aMeter(context), present(service.customers.pop())];
  await grant(customerId, meterId, context);
  const accounts = folding.db.collection<{ _id: string }>('creditAccounts');
  const first = await accounts.findOne({ customerId } as object);
  const others = Array.from({ length: 500 }, () => ({ ...first, _id: newId(), meterId: newId() }));
  await accounts.insertMany(others);
  const page = { customerId, page: 1, perPage: 10 };
  const { total } = await service.metering.listCreditGrants(page, context);
  expect(total).toBe(501);
});
