import { newId } from '@billing/chassis/ids';
import {
  dropTestDatabase,
  eventually,
  testContext,
  testServiceConfiguration,
  testTenant,
} from '@billing/chassis/testing';
import { InvoiceEvent } from '@billing/proto/billing/event/v1/invoice_event';
import type { Message } from '../message/message-store';
import { type EventOwner, startOwner } from '../testing/event-owner';
import { type MailFactsService, openInvoiceEvent, startMailFacts } from '../testing/mail-facts';
import { type MailServerForTests, startMailServer } from '../testing/mail-server';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

describe('messages that a release without mails has stored', () => {
  const tenant = testTenant({ live: true });
  const { environmentId } = tenant;
  const to = 'ada@example.com';
  const ids = Array.from({ length: 5 }, () => newId());
  const customerId = newId();
  const factsConfiguration = testServiceConfiguration('facts_earlier');
  const invoicesConfiguration = testServiceConfiguration('invoices_earlier');
  let system: TestSystem;
  let facts: MailFactsService;
  let invoices: EventOwner;
  let server: MailServerForTests;
  let notifier: RunningNotifier;
  let stored: Message[];

  const messages = () => system.mongo.db.collection<Message>('messages');

  beforeAll(async () => {
    system = await startSystem('earlier');
    facts = await startMailFacts(factsConfiguration);
    facts.emails.set(customerId, to);
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
    await storeAsBefore();
    notifier = await system.startNotifier({}, { ...peers(), ...server.configuration });
  });

  afterAll(async () => {
    await system.close();
    await invoices.stop();
    await facts.stop();
    await server.close();
    await dropTestDatabase(factsConfiguration, invoicesConfiguration);
  });

  const peers = () => ({
    CUSTOMER_ADDRESS: facts.address,
    CATALOG_ADDRESS: facts.address,
    CHECKOUT_ADDRESS: facts.address,
  });

  /** Leaves what the release before feed and mails had stored of five invoices. */
  async function storeAsBefore(): Promise<void> {
    await system.startNotifier({}, peers());
    for (const id of ids) await invoices.announce(tenant, id);
    await eventually(async () => {
      expect(await messages().countDocuments({ environmentId })).toBe(ids.length);
    });
    await system.stopNotifiers();
    for (const name of ['feed', 'feedSweeps', 'mailPositions', 'emails']) {
      await system.mongo.db.collection(name).deleteMany({});
    }
    const former = { tenant: '', subjectType: '' } as const;
    await messages().updateMany({ environmentId }, { $unset: former });
    const firstAcceptedAt = Date.now() - 60_000;
    for (const [index, subscriptionId] of ids.entries()) {
      const acceptedAt = new Date(firstAcceptedAt + index);
      await messages().updateOne({ environmentId, subscriptionId }, { $set: { acceptedAt } });
    }
    stored = await messages().find({ environmentId }).sort({ acceptedAt: 1 }).toArray();
  }

  const feed = async () => {
    const query = { after: '0', limit: 100, types: [], waitMs: 0 };
    const { events } = await notifier.feedCalls.listWebhookEvents(query, testContext({ tenant }));
    return events;
  };

  test('are in the feed in order and unchanged, and cause no mail, unlike the event after them', async () => {
    await eventually(async () => {
      expect((await feed()).map(({ body }) => body)).toEqual(stored.map(({ body }) => body));
    });
    expect(await messages().find({ environmentId }).sort({ acceptedAt: 1 }).toArray()).toEqual(
      stored,
    );
    const next = newId();
    await invoices.announce(tenant, next);
    // It is made after the mails of all events before it.
    const emails = await eventually(async () => {
      const request = { page: 1, perPage: 100, inbox: false };
      const listed = await notifier.mailCalls.listEmails(request, testContext({ tenant }));
      expect(listed.emails.map(({ sentAt }) => sentAt)).toEqual([expect.any(Date)]);
      return listed.emails;
    });
    expect(emails).toMatchObject([{ invoiceId: next, to }]);
    expect(server.received.map((mail) => mail.to)).toEqual([to]);
  });
});
