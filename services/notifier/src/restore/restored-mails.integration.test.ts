import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import {
  dropTestDatabase,
  eventually,
  testContext,
  testServiceConfiguration,
  testTenant,
} from '@billing/chassis/testing';
import { InvoiceEvent } from '@billing/proto/billing/event/v1/invoice_event';
import { type Email, EmailStatus } from '@billing/proto/billing/notifier/v1/mail';
import { OperatorEmailKind } from '@billing/proto/billing/notifier/v1/operator_mail';
import { type EventOwner, startOwner } from '../testing/event-owner';
import { type MailFactsService, openInvoiceEvent, startMailFacts } from '../testing/mail-facts';
import { type MailServerForTests, startMailServer } from '../testing/mail-server';
import { recoverNotifier } from '../testing/restore';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

// The database is put back to an instant at which mails waited that were sent since.
const greylisted = { code: 450, text: '4.2.0 Greylisted' };
const collections = ['emails', 'operatorEmails'] as const;
const tenant: Tenant = testTenant({ live: true });
const factsConfiguration = testServiceConfiguration('facts_restored_mails');
const invoicesConfiguration = testServiceConfiguration('invoices_restored_mails');
const customerId = newId();
let system: TestSystem;
let notifier: RunningNotifier;
let facts: MailFactsService;
let invoices: EventOwner;
let server: MailServerForTests;

beforeAll(async () => {
  system = await startSystem('restored_mails');
  facts = await startMailFacts(factsConfiguration);
  facts.emails.set(customerId, 'ada@example.com');
  server = await startMailServer();
  invoices = await startOwner(
    {
      service: 'checkout',
      aggregate: 'invoice',
      type: 'invoice.created',
      dataOf: (owner, id) => InvoiceEvent.toJSON(openInvoiceEvent(owner, id, customerId)),
    },
    { ...invoicesConfiguration, STREAM_NAME: system.config.STREAM_NAME },
  );
  notifier = await startNotifier();
});

afterAll(async () => {
  await system.close();
  await invoices.stop();
  await facts.stop();
  await server.close();
  await dropTestDatabase(factsConfiguration, invoicesConfiguration);
});

const startNotifier = () =>
  system.startNotifier(
    { reconcileEveryMs: 200, feedPollEveryMs: 100 },
    {
      CUSTOMER_ADDRESS: facts.address,
      CATALOG_ADDRESS: facts.address,
      CHECKOUT_ADDRESS: facts.address,
      ...server.configuration,
    },
  );

const storedIn = (name: string) =>
  system.mongo.db.collection<any>(name).find({ environmentId: tenant.environmentId }).toArray();

const statuses = async () => {
  const stored = await Promise.all(collections.map(storedIn));
  return stored.map((mails) => mails.map(({ status }) => status as string));
};

const emails = async (): Promise<Email[]> => {
  const request = { page: 1, perPage: 10, inbox: false };
  return (await notifier.mailCalls.listEmails(request, testContext({ tenant }))).emails;
};

const dueNow = async () => {
  const past = new Date(0);
  for (const name of collections) {
    const change = { $set: { sendAt: past, recoverAt: past }, $inc: { version: 1 } };
    await system.mongo.db.collection(name).updateMany({ status: 'PENDING' }, change);
  }
};

test('mails that waited at the instant of a restore are not handed over once more', async () => {
  server.answers.rcpt = () => greylisted;
  await invoices.announce(tenant, newId());
  await notifier.operatorMailCalls.sendOperatorEmail(
    {
      kind: OperatorEmailKind.OPERATOR_EMAIL_KIND_PASSWORD_RESET,
      to: 'olga@example.com',
      link: 'https://billing.example/dashboard/reset#token',
      expiresAt: new Date(Date.now() + 60 * 60_000),
      ...{ organizationName: '', role: '', invitedBy: '' },
    },
    testContext({ tenant }),
  );
  await eventually(async () => {
    for (const name of collections) {
      expect(await storedIn(name)).toMatchObject([{ status: 'PENDING', reason: 'smtp_450' }]);
    }
  });
  const backup = await Promise.all(collections.map(storedIn));
  server.answers = {};
  await dueNow();
  await eventually(async () => {
    expect(await statuses()).toEqual([['SENT'], ['SENT']]);
  });
  expect(server.received).toHaveLength(2);

  await system.stopNotifiers();
  for (const [index, name] of collections.entries()) {
    const documents = system.mongo.db.collection<any>(name);
    for (const mail of backup[index] ?? []) await documents.replaceOne({ _id: mail._id }, mail);
  }
  await dueNow();
  const recovered = await recoverNotifier(system, 'WH5C2', startNotifier);
  notifier = recovered.notifier;
  expect(await statuses()).toEqual([['UNKNOWN'], ['UNKNOWN']]);
  await recovered.open();

  // A mail of a later event has gone through the sender after them.
  await invoices.announce(tenant, newId());
  await eventually(async () => {
    expect((await emails()).map(({ status }) => status)).toEqual([
      EmailStatus.EMAIL_STATUS_SENT,
      EmailStatus.EMAIL_STATUS_UNKNOWN,
    ]);
  });
  expect(server.received).toHaveLength(3);
  const [, unknown] = await emails();
  expect(unknown).toMatchObject({ reason: 'outcome_unknown' });
  // The link of an operator is a secret.
  expect(await storedIn('operatorEmails')).toMatchObject([{ status: 'UNKNOWN', content: null }]);
  const { email: copy } = await notifier.mailCalls.resendEmail(
    { id: unknown!.id },
    testContext({ tenant }),
  );
  expect(copy).toMatchObject({ resendOf: unknown!.id });
});
