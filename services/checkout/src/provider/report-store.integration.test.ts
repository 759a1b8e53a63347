import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { newId } from '@billing/chassis/ids';
import { dropTestDatabase, testContext, testServiceConfiguration } from '@billing/chassis/testing';
import { ProviderReportStore } from './report-store';

const configuration = testServiceConfiguration('checkout');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

/** A process with the store, which optionally crashes when it raises the alarm. */
function aProcess({ dies }: { readonly dies: boolean }) {
  const alarms: unknown[] = [];
  const error = (facts: unknown) => {
    if (dies) throw new Error('The process dies');
    alarms.push(facts);
  };
  const metrics = { recordProviderReport: () => undefined };
  return { alarms, reports: new ProviderReportStore(mongo.db, { logger: { error }, metrics }) };
}

test('a report whose process crashes before its alarm raises the alarm once when it is sent again', async () => {
  const context = testContext();
  const facts = { ...context, invoiceId: newId() };
  const report = {
    id: `stripe:${newId()}`,
    kind: 'DISPUTE',
    providerPaymentId: 'pi_1',
    amount: 2900n,
    currency: 'USD',
    status: 'needs_response',
  } as const;
  const dying = aProcess({ dies: true });
  await expect(dying.reports.add(report, facts)).rejects.toThrow('The process dies');

  const { alarms, reports } = aProcess({ dies: false });
  await reports.add(report, facts);
  await reports.add(report, facts);
  expect(alarms).toMatchObject([{ alarm: 'provider_report', kind: 'DISPUTE' }]);
  expect(await reports.listOf(facts.invoiceId, context)).toMatchObject([report]);
});
