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
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';
import { SuppressionStore } from './suppression-store';

describe('mails of a live environment', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let facts: MailFactsService;
  let invoices: EventOwner;
  let server: MailServerForTests;
  let tenant: Tenant;
  let to: string;
  const factsConfiguration = testServiceConfiguration('facts_sent');
  const invoicesConfiguration = testServiceConfiguration('invoices_sent');
  const payers = new Map<string, string>();

  const settings = () => ({
    CUSTOMER_ADDRESS: facts.address,
    CATALOG_ADDRESS: facts.address,
    CHECKOUT_ADDRESS: facts.address,
    ...server.configuration,
    MAIL_BOUNCE_ADDRESS: 'bounces@acme.example',
  });

  beforeAll(async () => {
    system = await startSystem('sent');
    facts = await startMailFacts(factsConfiguration);
    server = await startMailServer();
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
    notifier = await system.startNotifier({ smtpTimeoutMs: 30_000 }, settings());
  });

  beforeEach(() => {
    tenant = testTenant({ live: true });
    to = `${newId()}@example.com`;
    server.answers = {};
  });

  afterAll(async () => {
    await system.close();
    await invoices.stop();
    await facts.stop();
    await server.close();
    await dropTestDatabase(factsConfiguration, invoicesConfiguration);
  });

  const issueInvoice = async (owner = tenant): Promise<string> => {
    const [id, customerId] = [newId(), newId()];
    facts.emails.set(customerId, to);
    payers.set(id, customerId);
    await invoices.announce(owner, id);
    return id;
  };

  const emailsOf = async (owner = tenant) => {
    const request = { page: 1, perPage: 100, inbox: false };
    const context = testContext({ tenant: owner });
    return (await notifier.mailCalls.listEmails(request, context)).emails;
  };

  const emailWith = (expected: Partial<Email>) =>
    eventually(async () => {
      const [email] = await emailsOf();
      expect(email).toMatchObject(expected);
      return email!;
    });

  const receivedBy = (address: string) => server.received.filter((mail) => mail.to === address);

  /** Makes waiting mails due now. */
  const dueNow = async () => {
    const past = new Date(0);
    const { environmentId } = tenant;
    await system.mongo.db
      .collection('emails')
      .updateMany(
        { environmentId, status: 'PENDING' },
        { $set: { sendAt: past, recoverAt: past }, $inc: { version: 1 } },
      );
  };

  test('reach the mail server once, with headers, text and HTML', async () => {
    await issueInvoice();
    const email = await emailWith({ status: EmailStatus.EMAIL_STATUS_SENT });
    expect(email).toMatchObject({ attempts: 1, sentAt: expect.any(Date) });
    const [mail, ...others] = receivedBy(to);
    expect(others).toEqual([]);
    expect(mail?.from).toBe('bounces@acme.example');
    const lines = mail!.content.split('\r\n');
    expect(lines).toContain(`Message-ID: <${email.id}@acme.example>`);
    expect(lines).toContain('From: "Acme, Inc." <billing@acme.example>');
    expect(lines).toContain(`To: ${to}`);
    expect(lines).toContain('Reply-To: help@acme.example');
    expect(lines).toContain('Subject: Invoice INV-000001 from Acme, Inc.: $29.00');
    expect(lines).toContain('Auto-Submitted: auto-generated');
    expect(lines).toContain('Billing-Email-Kind: INVOICE_ISSUED');
    expect(mail!.content).toContain('Content-Type: text/plain');
    expect(mail!.content).toContain('Content-Type: text/html');
    expect(mail!.content).not.toContain('TEST:');
  });

  test('wait after 450, and are sent once the server takes them', async () => {
    server.answers.rcpt = (address) =>
      address === to ? { code: 450, text: '4.2.0 Greylisted' } : undefined;
    const invoiceId = await issueInvoice();
    const waiting = await emailWith({ reason: 'smtp_450', attempts: 1 });
    expect(waiting.status).toBe(EmailStatus.EMAIL_STATUS_PENDING);
    expect(receivedBy(to)).toEqual([]);
    server.answers = {};
    await dueNow();
    await emailWith({ status: EmailStatus.EMAIL_STATUS_SENT, attempts: 2, invoiceId });
    expect(receivedBy(to)).toHaveLength(1);
  });

  test('that ask for a payment are skipped once the invoice is paid', async () => {
    server.answers.rcpt = (address) =>
      address === to ? { code: 450, text: '4.2.0 Greylisted' } : undefined;
    const invoiceId = await issueInvoice();
    await emailWith({ reason: 'smtp_450' });
    server.answers = {};
    facts.settled.add(invoiceId);
    await dueNow();
    await emailWith({ status: EmailStatus.EMAIL_STATUS_SKIPPED, reason: 'invoice_settled' });
    expect(receivedBy(to)).toEqual([]);
  });

  test('use up no attempt while it cannot be asked if the invoice is paid', async () => {
    server.answers.rcpt = (address) =>
      address === to ? { code: 450, text: '4.2.0 Greylisted' } : undefined;
    const invoiceId = await issueInvoice();
    await emailWith({ reason: 'smtp_450', attempts: 1 });
    server.answers = {};
    facts.asked.clear();
    facts.isDown = true;
    try {
      await dueNow();
      await eventually(() => {
        expect(facts.asked).toContain(invoiceId);
      });
    } finally {
      facts.isDown = false;
    }
    await emailWith({ status: EmailStatus.EMAIL_STATUS_SENT, attempts: 2 });
  });

  test('to an unknown mailbox bounce, and the next one is not sent', async () => {
    server.answers.rcpt = (address) =>
      address === to ? { code: 550, text: '5.1.1 No such user' } : undefined;
    await issueInvoice();
    await emailWith({ status: EmailStatus.EMAIL_STATUS_BOUNCED, reason: 'hard_bounce' });
    server.answers = {};
    await issueInvoice();
    await emailWith({ status: EmailStatus.EMAIL_STATUS_SKIPPED, reason: 'suppressed' });
    expect(receivedBy(to)).toEqual([]);
  });

  test('that wait are not sent once their address is suppressed', async () => {
    server.answers.rcpt = (address) =>
      address === to ? { code: 450, text: '4.2.0 Greylisted' } : undefined;
    await issueInvoice();
    await emailWith({ reason: 'smtp_450' });
    server.answers = {};
    await new SuppressionStore(system.mongo.db).add(tenant.environmentId, {
      ...{ email: to, customerId: newId(), emailId: newId() },
      ...{ reason: 'COMPLAINT', createdAt: new Date() },
    });
    await dueNow();
    await emailWith({ status: EmailStatus.EMAIL_STATUS_SKIPPED, reason: 'suppressed' });
    expect(receivedBy(to)).toEqual([]);
  });

  test('that the server refuses fail at once', async () => {
    server.answers.data = (content) =>
      content.includes(to) ? { code: 550, text: '5.7.1 Refused' } : undefined;
    await issueInvoice();
    const { id } = await emailWith({
      status: EmailStatus.EMAIL_STATUS_FAILED,
      reason: 'smtp_550',
    });
    await eventually(async () => {
      const { events } = await notifier.feedCalls.listWebhookEvents(
        { limit: 100, types: ['email.*'], waitMs: 0 },
        testContext({ tenant }),
      );
      expect(events.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
        { type: 'email.failed', emailId: id, status: 'FAILED', data: { email: { to } } },
      ]);
    });
  });

  test('are UNKNOWN if the server resets the connection in place of an answer', async () => {
    server.answers.data = (content) => (content.includes(to) ? 'RESET' : undefined);
    await issueInvoice();
    const email = await emailWith({
      status: EmailStatus.EMAIL_STATUS_UNKNOWN,
      reason: 'outcome_unknown',
    });
    await dueNow();
    expect(receivedBy(to)).toHaveLength(1);
    server.answers = {};
    const { email: copy } = await notifier.mailCalls.resendEmail(
      { id: email.id },
      testContext({ tenant }),
    );
    expect(copy?.id).not.toBe(email.id);
    await eventually(() => {
      expect(receivedBy(to)).toHaveLength(2);
    });
    const ids = receivedBy(to).map(({ content }) => /^Message-ID: (.*)\r$/m.exec(content)?.[1]);
    expect(new Set(ids).size).toBe(2);
  });

  test('whose sender died before the mark are sent by another, after it they are UNKNOWN', async () => {
    server.answers.rcpt = (address) =>
      address === to ? { code: 450, text: '4.2.0 Greylisted' } : undefined;
    await issueInvoice();
    await emailWith({ reason: 'smtp_450' });
    server.answers = {};
    const { environmentId } = tenant;
    const { db } = system.mongo;
    const died = { claimId: newId(), attempts: 2, isHandedOver: false };
    await db
      .collection('emails')
      .updateOne({ environmentId }, { $set: died, $inc: { version: 1 } });
    await dueNow();
    await emailWith({ status: EmailStatus.EMAIL_STATUS_SENT, attempts: 3 });
    expect(receivedBy(to)).toHaveLength(1);
    await db.collection('emails').updateOne(
      { environmentId },
      {
        $set: { ...died, status: 'PENDING', isHandedOver: true },
        $inc: { version: 1 },
      },
    );
    await dueNow();
    await emailWith({ status: EmailStatus.EMAIL_STATUS_UNKNOWN, reason: 'outcome_unknown' });
    expect(receivedBy(to)).toHaveLength(1);
  });

  test('are each handed over once by two processes', async () => {
    await system.startNotifier({ smtpTimeoutMs: 30_000 }, settings());
    for (let count = 0; count < 10; count += 1) await issueInvoice();
    await eventually(async () => {
      const emails = await emailsOf();
      expect(emails.map(({ status }) => status)).toEqual(
        Array.from({ length: 10 }, () => EmailStatus.EMAIL_STATUS_SENT),
      );
    });
    expect(receivedBy(to)).toHaveLength(10);
  });

  const sendTest = async (owner = tenant) => {
    const context = testContext({ tenant: owner });
    return notifier.mailSettingsCalls.sendTestEmail({ to }, context);
  };

  test('for a test have the sender of the settings, and are stored nowhere', async () => {
    expect(await sendTest()).toEqual({ status: EmailStatus.EMAIL_STATUS_SENT, reason: undefined });
    const [mail, ...others] = receivedBy(to);
    expect(others).toEqual([]);
    expect(mail!.from).toBe('bounces@acme.example');
    const lines = mail!.content.split('\r\n');
    expect(lines).toContain('From: "Acme, Inc." <billing@acme.example>');
    expect(lines).toContain('Subject: Test email from Acme, Inc.');
    expect(lines).toContain('Billing-Email-Kind: TEST');
    expect(await emailsOf()).toEqual([]);
  });

  test('for a test report the answer of the server, and are sent once', async () => {
    const failed = EmailStatus.EMAIL_STATUS_FAILED;
    server.answers.rcpt = () => ({ code: 450, text: '4.2.0 Greylisted' });
    expect(await sendTest()).toEqual({ status: failed, reason: 'smtp_450' });
    server.answers.rcpt = () => ({ code: 550, text: '5.1.1 No such user' });
    const bounced = EmailStatus.EMAIL_STATUS_BOUNCED;
    expect(await sendTest()).toEqual({ status: bounced, reason: 'hard_bounce' });
    expect(receivedBy(to)).toEqual([]);
  });

  test('for a test are not sent from a sandbox', async () => {
    const before = server.connections;
    await expect(sendTest(testTenant())).rejects.toThrow('No mail server is configured');
    expect(server.connections).toBe(before);
  });

  const inAnHour = () => new Date(Date.now() + 60 * 60_000);
  const sendToOperator = (link: string, expiresAt = inAnHour()) =>
    notifier.operatorMailCalls.sendOperatorEmail(
      {
        kind: OperatorEmailKind.OPERATOR_EMAIL_KIND_PASSWORD_RESET,
        ...{ to, link, expiresAt, organizationName: '', role: '', invitedBy: '' },
      },
      testContext({ tenant }),
    );

  const operatorEmail = (status: string) =>
    eventually(async () => {
      const { environmentId } = tenant;
      const found = await system.mongo.db.collection('operatorEmails').findOne({ environmentId });
      expect(found?.status).toBe(status);
      return found!;
    });

  test('to an operator are sent once for a link, are in no list, and lose the link', async () => {
    const link = `https://billing.example/dashboard/reset#${newId()}`;
    expect(await notifier.operatorMailCalls.getMailServer({}, testContext())).toEqual({
      configured: true,
    });
    for (let time = 1; time <= 2; time += 1) {
      expect(await sendToOperator(link)).toEqual({ created: true });
    }
    const sent = await operatorEmail('SENT');
    expect(JSON.stringify(sent)).not.toContain(link);
    expect(receivedBy(to)).toHaveLength(1);
    const [mail] = receivedBy(to);
    expect(mail?.content).toContain('Subject: Reset your password');
    expect(mail?.content).toContain('From: billing@acme.example');
    expect(await emailsOf()).toEqual([]);
  });

  test('to an operator are not sent any more once the link has expired', async () => {
    const link = `https://billing.example/dashboard/reset#${newId()}`;
    await sendToOperator(link, new Date());
    const ended = await operatorEmail('FAILED');
    expect([ended.reason, ended.content]).toEqual(['expired', null]);
    expect(receivedBy(to)).toEqual([]);
  });

  test('with a sign-in link of the portal are not sent any more once the link has expired', async () => {
    const [customerId, sessionId] = [newId(), newId()];
    facts.emails.set(customerId, to);
    const link = { customerId, sessionId, url: 'https://billing.example/portal/token' };
    const send = (expiresAt: Date) =>
      notifier.mailCalls.sendPortalLink({ ...link, expiresAt }, testContext({ tenant }));
    server.answers.rcpt = () => ({ code: 450, text: '4.2.0 Greylisted' });
    await send(new Date(Date.now() + 2_000));
    await emailWith({ status: EmailStatus.EMAIL_STATUS_FAILED, reason: 'expired' });
    const { environmentId } = tenant;
    const stored = await system.mongo.db.collection('emails').findOne({ environmentId });
    expect(stored?.content).toBeNull();
    expect(receivedBy(to)).toEqual([]);
  });

  test('to an operator that bounce are not on the list of the seller', async () => {
    server.answers.rcpt = (address) =>
      address === to ? { code: 550, text: '5.1.1 No such user' } : undefined;
    await sendToOperator('https://billing.example/dashboard/reset#token');
    expect(await operatorEmail('BOUNCED')).toMatchObject({ content: null });
    const page = { page: 1, perPage: 10 };
    const context = testContext({ tenant });
    const { total } = await notifier.mailCalls.listEmailSuppressions(page, context);
    expect(total).toBe(0);
  });

  test('leave a sandbox without a connection to the server', async () => {
    const sandbox = testTenant();
    const before = server.connections;
    await issueInvoice(sandbox);
    await eventually(async () => {
      const [email] = await emailsOf(sandbox);
      expect(email?.status).toBe(EmailStatus.EMAIL_STATUS_SENT);
    });
    // A live mail that was made later has gone through the sender by now.
    await issueInvoice();
    await emailWith({ status: EmailStatus.EMAIL_STATUS_SENT });
    expect(server.connections).toBe(before + 1);
    expect(receivedBy(to)).toHaveLength(1);
  });
});
