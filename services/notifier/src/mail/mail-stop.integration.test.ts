import type { Tenant } from '@billing/chassis/call-context';
import { sleep } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import {
  dropTestDatabase,
  eventually,
  testContext,
  testServiceConfiguration,
  testTenant,
} from '@billing/chassis/testing';
import { InvoiceEvent } from '@billing/proto/billing/event/v1/invoice_event';
import { type EventOwner, startOwner } from '../testing/event-owner';
import { type MailFactsService, openInvoiceEvent, startMailFacts } from '../testing/mail-facts';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

// Mails wait this long for a server that cannot be reached, which exceeds the limit of a test.
const waitMs = 60 * 60_000;

describe('a notifier whose mail server cannot be reached', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let facts: MailFactsService;
  let invoices: EventOwner;
  let tenant: Tenant;
  let customerId: string;
  const factsConfiguration = testServiceConfiguration('facts_mail_stop');
  const invoicesConfiguration = testServiceConfiguration('invoices_mail_stop');

  beforeAll(async () => {
    system = await startSystem('mail_stop');
    facts = await startMailFacts(factsConfiguration);
    tenant = testTenant({ live: true });
    customerId = newId();
    facts.emails.set(customerId, 'ada@example.com');
    invoices = await startOwner(
      {
        service: 'checkout',
        aggregate: 'invoice',
        type: 'invoice.created',
        dataOf: (owner, id) => InvoiceEvent.toJSON(openInvoiceEvent(owner, id, customerId)),
      },
      { ...invoicesConfiguration, STREAM_NAME: system.config.STREAM_NAME },
    );
    notifier = await system.startNotifier(
      { smtpTimeoutMs: 20_000, smtpAskEveryMs: waitMs },
      {
        CUSTOMER_ADDRESS: facts.address,
        CATALOG_ADDRESS: facts.address,
        CHECKOUT_ADDRESS: facts.address,
        // Nothing listens there, and no other process gets this port.
        SMTP_URL: { host: '127.0.0.1', port: 1, isSecure: false, credentials: undefined },
        SMTP_TLS: 'none',
        MAIL_FROM: 'billing@acme.example',
      },
    );
  });

  afterAll(async () => {
    await system.close();
    await invoices.stop();
    await facts.stop();
    await dropTestDatabase(factsConfiguration, invoicesConfiguration);
  });

  const emails = async () => {
    const request = { page: 1, perPage: 100, inbox: false };
    return (await notifier.mailCalls.listEmails(request, testContext({ tenant }))).emails;
  };

  test('stops at once, although mails wait', async () => {
    await invoices.announce(tenant, newId());
    await eventually(async () => {
      expect(await emails()).toMatchObject([{ reason: 'connection_failed' }]);
    });
    for (let count = 0; count < 3; count += 1) await invoices.announce(tenant, newId());
    await eventually(async () => {
      expect(await emails()).toHaveLength(4);
    });
    // Due work has found them by then: they wait until the server is asked again.
    await sleep(3_000);
    await system.stopNotifiers();
  });
});
