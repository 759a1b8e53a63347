import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import {
  dropTestDatabase,
  eventually,
  testContext,
  testServiceConfiguration,
  testTenant,
} from '@billing/chassis/testing';
import { ErasureStep } from '@billing/proto/billing/erasure/v1/erasure';
import { InvoiceEvent } from '@billing/proto/billing/event/v1/invoice_event';
import { BounceType, EmailKind, EmailStatus } from '@billing/proto/billing/notifier/v1/mail';
import { type EventOwner, startOwner } from '../testing/event-owner';
import { type MailFactsService, openInvoiceEvent, startMailFacts } from '../testing/mail-facts';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

describe('mails of a sandbox', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let facts: MailFactsService;
  let invoices: EventOwner;
  let tenant: Tenant;
  let customerId: string;
  const factsConfiguration = testServiceConfiguration('facts_mails');
  const invoicesConfiguration = testServiceConfiguration('invoices_mails');
  /** Customers by invoice. */
  const payers = new Map<string, string>();

  beforeAll(async () => {
    system = await startSystem('mails');
    facts = await startMailFacts(factsConfiguration);
    invoices = await startOwner(
      {
        service: 'checkout',
        aggregate: 'invoice',
        type: 'invoice.created',
        dataOf: (owner, id) =>
          InvoiceEvent.toJSON(openInvoiceEvent(owner, id, payers.get(id) ?? newId())),
      },
      { ...invoicesConfiguration, STREAM_NAME: system.config.STREAM_NAME },
    );
    notifier = await system.startNotifier(
      {},
      {
        CUSTOMER_ADDRESS: facts.address,
        CATALOG_ADDRESS: facts.address,
        CHECKOUT_ADDRESS: facts.address,
      },
    );
  });

  beforeEach(() => {
    tenant = testTenant();
    customerId = newId();
    facts.emails.set(customerId, 'ada@example.com');
  });

  afterAll(async () => {
    await system.close();
    await invoices.stop();
    await facts.stop();
    await dropTestDatabase(factsConfiguration, invoicesConfiguration);
  });

  const issueInvoice = async (owner = tenant): Promise<string> => {
    const id = newId();
    payers.set(id, customerId);
    await invoices.announce(owner, id);
    return id;
  };

  const list = (filter: Partial<Parameters<typeof notifier.mailCalls.listEmails>[0]> = {}) =>
    notifier.mailCalls.listEmails(
      { page: 1, perPage: 100, inbox: true, ...filter },
      testContext({ tenant }),
    );

  const onlyEmail = () =>
    eventually(async () => {
      const { emails, total } = await list();
      // The page and the number are two reads.
      expect([emails.length, total]).toEqual([1, 1]);
      return emails[0]!;
    });

  /** Events of mails in the feed, as their webhooks tell them. */
  const announced = async () => {
    const { events } = await notifier.feedCalls.listWebhookEvents(
      { limit: 100, types: ['email.*'], waitMs: 0 },
      testContext({ tenant }),
    );
    return events.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  };

  const onlyAnnounced = () =>
    eventually(async () => {
      const events = await announced();
      expect(events).toHaveLength(1);
      return events[0]!;
    });

  test('are in the inbox, rendered from the event, the customer and the seller', async () => {
    const invoiceId = await issueInvoice();
    const email = await onlyEmail();
    expect(email).toMatchObject({
      kind: EmailKind.EMAIL_KIND_INVOICE_ISSUED,
      status: EmailStatus.EMAIL_STATUS_SENT,
      customerId,
      invoiceId,
      to: 'ada@example.com',
      from: '"Acme, Inc." <no-reply@sandbox.invalid>',
      replyTo: 'help@acme.example',
      subject: 'Invoice INV-000001 from Acme, Inc.: $29.00',
      attempts: 0,
      sentAt: expect.any(Date),
    });
    expect(email.content?.text).toContain('https://billing.example/i/secret');
    expect(email.content?.html).toContain('TEST');
    const { events } = await notifier.feedCalls.listWebhookEvents(
      { limit: 10, types: [], waitMs: 0 },
      testContext({ tenant }),
    );
    const { id: eventId } = JSON.parse(events[0]!.body) as { id: string };
    expect(email.webhookEventId).toBe(eventId);
    expect(email.content?.headers).toContainEqual({
      name: 'Message-ID',
      value: `<${email.id}@sandbox.invalid>`,
    });
  });

  test('are listed without content, and found by each filter', async () => {
    const invoiceId = await issueInvoice();
    const { id } = await onlyEmail();
    const filters = [
      { customerId },
      { invoiceId },
      { kind: EmailKind.EMAIL_KIND_INVOICE_ISSUED },
      { status: EmailStatus.EMAIL_STATUS_SENT },
      { to: 'ADA@example.com' },
    ];
    for (const filter of filters) {
      const { emails } = await list({ ...filter, inbox: false });
      expect(emails.map((email) => [email.id, email.content])).toEqual([[id, undefined]]);
    }
    const others = [
      { customerId: newId() },
      { invoiceId: newId() },
      { kind: EmailKind.EMAIL_KIND_RECEIPT },
      { status: EmailStatus.EMAIL_STATUS_BOUNCED },
      { to: 'b@example.com' },
    ];
    for (const filter of others) expect((await list(filter)).total).toBe(0);
  });

  test('are made once, although several processes make them again and again', async () => {
    const second = await system.startNotifier(
      {},
      {
        CUSTOMER_ADDRESS: facts.address,
        CATALOG_ADDRESS: facts.address,
        CHECKOUT_ADDRESS: facts.address,
      },
    );
    expect(second.address).not.toBe(notifier.address);
    for (let count = 0; count < 5; count += 1) await issueInvoice();
    await eventually(async () => {
      expect((await list()).total).toBe(5);
    });
    const { environmentId } = tenant;
    const { db } = system.mongo;
    // As if the process had died before it stored its position.
    await db.collection('mailPositions').deleteMany({ environmentId });
    await issueInvoice();
    await eventually(async () => {
      expect((await list()).total).toBe(6);
    });
    const events = (await list()).emails.map(({ webhookEventId }) => webhookEventId);
    expect(new Set(events).size).toBe(6);
  });

  test('wait for facts that cannot be read, and are made afterwards', async () => {
    facts.isDown = true;
    await issueInvoice();
    await eventually(async () => {
      const { db } = system.mongo;
      const { environmentId } = tenant;
      expect(await db.collection('feed').countDocuments({ environmentId })).toBe(1);
    });
    expect((await list()).total).toBe(0);
    facts.isDown = false;
    await onlyEmail();
  });

  test('are not made for a customer who is unknown, and the next ones are', async () => {
    facts.emails.delete(customerId);
    await issueInvoice();
    customerId = newId();
    facts.emails.set(customerId, 'b@example.com');
    await issueInvoice();
    expect((await onlyEmail()).to).toBe('b@example.com');
  });

  test('to an address at bounce.example bounce, and suppress it', async () => {
    facts.emails.set(customerId, 'Ada@Bounce.example');
    await issueInvoice();
    const first = await onlyEmail();
    expect(first).toMatchObject({
      status: EmailStatus.EMAIL_STATUS_BOUNCED,
      reason: 'hard_bounce',
    });
    expect(await onlyAnnounced()).toMatchObject({
      type: 'email.bounced',
      sequence: 1,
      emailId: first.id,
      customerId,
      status: 'BOUNCED',
      data: { email: { id: first.id, to: 'Ada@Bounce.example', content: null } },
    });
    await issueInvoice();
    await eventually(async () => {
      const { emails } = await list();
      expect(emails.map(({ status, reason }) => [status, reason])).toEqual([
        [EmailStatus.EMAIL_STATUS_SKIPPED, 'suppressed'],
        [EmailStatus.EMAIL_STATUS_BOUNCED, 'hard_bounce'],
      ]);
    });
    const context = () => testContext({ tenant });
    const page = { page: 1, perPage: 10 };
    const { suppressions } = await notifier.mailCalls.listEmailSuppressions(
      { ...page, email: 'ADA@bounce.example' },
      context(),
    );
    expect(suppressions).toMatchObject([
      { email: 'ada@bounce.example', emailId: first.id, reason: BounceType.BOUNCE_TYPE_HARD },
    ]);
    const { id } = suppressions[0]!;
    await notifier.mailCalls.deleteEmailSuppression({ id }, context());
    await expect(notifier.mailCalls.deleteEmailSuppression({ id }, context())).rejects.toThrow(
      'Email suppression not found',
    );
    const left = await notifier.mailCalls.listEmailSuppressions(page, context());
    expect(left.total).toBe(0);
  });

  test('to an address that was allowed again do not suppress it when they are made again', async () => {
    facts.emails.set(customerId, 'ada@bounce.example');
    const link = { customerId, sessionId: newId(), url: 'https://billing.example/portal/token' };
    const send = () =>
      notifier.mailCalls.sendPortalLink({ ...link, expiresAt: undefined }, testContext({ tenant }));
    const suppressed = () =>
      notifier.mailCalls.listEmailSuppressions({ page: 1, perPage: 10 }, testContext({ tenant }));
    await send();
    const { suppressions } = await suppressed();
    const [{ id } = { id: '' }, ...others] = suppressions;
    expect(others).toEqual([]);
    await notifier.mailCalls.deleteEmailSuppression({ id }, testContext({ tenant }));
    await send();
    expect((await suppressed()).total).toBe(0);
    expect((await list()).emails).toHaveLength(1);
  });

  test('announce a bounce that the stream has lost, by the log of the notifier', async () => {
    facts.emails.set(customerId, 'ada@bounce.example');
    await issueInvoice();
    const { id, emailId } = await onlyAnnounced();
    const { db } = system.mongo;
    const { environmentId } = tenant;
    const message = { environmentId, subscriptionId: emailId };
    // As if the event had never been accepted.
    await db.collection('feed').deleteMany({ environmentId, messageId: id as string });
    expect((await db.collection('messages').deleteMany(message)).deletedCount).toBe(1);
    // What the reader of the log has passed is read again once a minute.
    await eventually(
      async () => {
        expect(await db.collection('messages').countDocuments(message)).toBe(1);
      },
      { timeoutMs: 240_000 },
    );
    expect(await onlyAnnounced()).toMatchObject({ id, type: 'email.bounced' });
  });

  test('that were sent can be reported as bounced, and be sent again', async () => {
    await issueInvoice();
    const { id } = await onlyEmail();
    facts.emails.set(customerId, 'new@example.com');
    const { email: copy } = await notifier.mailCalls.resendEmail({ id }, testContext({ tenant }));
    expect(copy).toMatchObject({
      resendOf: id,
      to: 'new@example.com',
      status: EmailStatus.EMAIL_STATUS_SENT,
      subject: 'Invoice INV-000001 from Acme, Inc.: $29.00',
    });
    expect(copy?.id).not.toBe(id);
    expect(copy?.webhookEventId).toBeUndefined();
    const complaint = { id, type: BounceType.BOUNCE_TYPE_COMPLAINT };
    for (let time = 1; time <= 2; time += 1) {
      const { email } = await notifier.mailCalls.recordBounce(complaint, testContext({ tenant }));
      expect(email).toMatchObject({
        status: EmailStatus.EMAIL_STATUS_BOUNCED,
        reason: 'complaint',
      });
    }
    expect(await onlyAnnounced()).toMatchObject({ type: 'email.bounced', emailId: id });
    facts.emails.set(customerId, 'ada@example.com');
    await issueInvoice();
    await eventually(async () => {
      const { emails } = await list({ status: EmailStatus.EMAIL_STATUS_SKIPPED });
      expect(emails).toHaveLength(1);
    });
    const [skipped] = (await list({ status: EmailStatus.EMAIL_STATUS_SKIPPED })).emails;
    const bounce = { id: skipped!.id, type: BounceType.BOUNCE_TYPE_HARD };
    await expect(notifier.mailCalls.recordBounce(bounce, testContext({ tenant }))).rejects.toThrow(
      'This email was not sent',
    );
  });

  test('that bounced suppress nothing once more, when their notice is repeated', async () => {
    await issueInvoice();
    const { id } = await onlyEmail();
    const context = () => testContext({ tenant });
    const notice = { id, type: BounceType.BOUNCE_TYPE_HARD };
    await notifier.mailCalls.recordBounce(notice, context());
    const suppressions = async () => {
      const request = { page: 1, perPage: 10 };
      return (await notifier.mailCalls.listEmailSuppressions(request, context())).suppressions;
    };
    const [suppression] = await suppressions();
    await notifier.mailCalls.deleteEmailSuppression({ id: suppression!.id }, context());
    await notifier.mailCalls.recordBounce(notice, context());
    expect(await suppressions()).toEqual([]);
  });

  test('of a deleted customer that bounce suppress no address', async () => {
    await issueInvoice();
    const { id } = await onlyEmail();
    const context = () => testContext({ tenant });
    const step = ErasureStep.ERASURE_STEP_DATA;
    await notifier.erasureCalls.eraseCustomer({ customerId, step, customer: undefined }, context());
    const notice = { id, type: BounceType.BOUNCE_TYPE_HARD };
    const { email } = await notifier.mailCalls.recordBounce(notice, context());
    expect(email).toMatchObject({ status: EmailStatus.EMAIL_STATUS_BOUNCED, to: '' });
    const page = { page: 1, perPage: 10 };
    const { suppressions } = await notifier.mailCalls.listEmailSuppressions(page, context());
    expect(suppressions).toEqual([]);
  });

  test('of another environment are not found', async () => {
    await issueInvoice();
    const { id } = await onlyEmail();
    const stranger = () => testContext({ tenant: testTenant() });
    await expect(notifier.mailCalls.getEmail({ id }, stranger())).rejects.toThrow(
      'Email not found',
    );
  });

  test('have no live counterpart without a mail server', async () => {
    const live = { ...testTenant(), live: true };
    await issueInvoice(live);
    const { db } = system.mongo;
    await eventually(async () => {
      const position = await db
        .collection('mailPositions')
        .findOne({ environmentId: live.environmentId });
      expect(Number(position?.position)).toBe(1);
    });
    const context = () => testContext({ tenant: live });
    const request = { page: 1, perPage: 10, inbox: false };
    expect((await notifier.mailCalls.listEmails(request, context())).total).toBe(0);
    await expect(
      notifier.mailCalls.listEmails({ ...request, inbox: true }, context()),
    ).rejects.toThrow('The live environment has no inbox');
  });
});
