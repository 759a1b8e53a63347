import { createHash } from 'node:crypto';
import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import {
  dropTestDatabase,
  eventually,
  testContext,
  testServiceConfiguration,
  testTenant,
} from '@billing/chassis/testing';
import { renderInvoicePdf } from '@billing/documents/invoice-pdf';
import { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { Logo } from '@billing/proto/billing/checkout/v1/seller';
import { InvoiceSeller } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { InvoiceEvent } from '@billing/proto/billing/event/v1/invoice_event';
import { type Email, EmailKind, EmailStatus } from '@billing/proto/billing/notifier/v1/mail';
import { type EventOwner, startOwner } from '../testing/event-owner';
import { type MailFacts, mailFacts, openInvoiceEvent } from '../testing/mail-facts';
import { type MailServerForTests, startMailServer } from '../testing/mail-server';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const logoSha256 = createHash('sha256').update(logo).digest('hex');

const seller = InvoiceSeller.fromPartial({ legalName: 'Acme', logo: { sha256: logoSha256 } });
const sent = { status: EmailStatus.EMAIL_STATUS_SENT };

describe('PDFs of mails', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let facts: MailFacts;
  let invoices: EventOwner;
  let server: MailServerForTests;
  const invoicesConfiguration = testServiceConfiguration('checkout_attachments');
  const issued = new Map<string, Invoice>();

  beforeAll(async () => {
    system = await startSystem('attachments');
    server = await startMailServer();
    const served = mailFacts();
    facts = served.facts;
    invoices = await startOwner(
      {
        service: 'checkout',
        aggregate: 'invoice',
        type: 'invoice.created',
        dataOf: (_owner, id) =>
          InvoiceEvent.toJSON(InvoiceEvent.fromPartial({ invoice: issued.get(id) })),
      },
      { ...invoicesConfiguration, STREAM_NAME: system.config.STREAM_NAME },
      served.rpcs,
    );
    notifier = await system.startNotifier(
      { smtpTimeoutMs: 30_000 },
      {
        CUSTOMER_ADDRESS: invoices.address,
        CATALOG_ADDRESS: invoices.address,
        CHECKOUT_ADDRESS: invoices.address,
        ...server.configuration,
      },
    );
  });

  beforeEach(() => {
    facts.logos.set(logoSha256, logo);
    facts.areLogosDown = false;
    facts.logosRefused = 0;
    facts.logo = undefined;
    server.answers = {};
  });

  afterAll(async () => {
    await system.close();
    await invoices.stop();
    await server.close();
    await dropTestDatabase(invoicesConfiguration);
  });

  const issue = async (tenant: Tenant, change: Partial<Invoice> = {}) => {
    const [id, customerId] = [newId(), newId()];
    facts.emails.set(customerId, `${customerId}@example.com`);
    const { invoice } = openInvoiceEvent(tenant, id, customerId);
    issued.set(id, { ...Invoice.fromPartial(invoice ?? {}), ...change });
    await invoices.announce(tenant, id);
    return { id, to: `${customerId}@example.com`, customerId };
  };

  const emailsOf = async (tenant: Tenant, inbox = false) => {
    const request = { page: 1, perPage: 100, inbox };
    return (await notifier.mailCalls.listEmails(request, testContext({ tenant }))).emails;
  };

  /** The only mail of an environment, with its content. */
  const emailWith = (tenant: Tenant, expected: Partial<Email>) =>
    eventually(async () => {
      const emails = await emailsOf(tenant);
      expect(emails).toMatchObject([expected]);
      const id = emails.map((email) => email.id).join();
      return (await notifier.mailCalls.getEmail({ id }, testContext({ tenant }))).email!;
    });

  const untilLogosAreRefused = (times: number) =>
    eventually(async () => {
      expect(facts.logosRefused).toBeGreaterThanOrEqual(times);
    });

  /** Makes the mail that waits due now. */
  const dueNow = async ({ environmentId }: Tenant) => {
    const past = new Date(0);
    await system.mongo.db
      .collection('emails')
      .updateOne(
        { environmentId, status: 'PENDING' },
        { $set: { sendAt: past, recoverAt: past }, $inc: { version: 1 } },
      );
  };

  const read = async (tenant: Tenant, id: string, filename = 'INV-000001.pdf') => {
    const wanted = { id, filename };
    return notifier.mailCalls.getEmailAttachment(wanted, testContext({ tenant }));
  };

  /** The PDF of a download of the invoice. */
  const downloaded = (id: string, change: Partial<Parameters<typeof renderInvoicePdf>[0]> = {}) => {
    const invoice = issued.get(id)!;
    const email = facts.emails.get(invoice.customerId);
    const customer = Customer.fromPartial({ id: invoice.customerId, email, name: 'Ada' });
    return renderInvoicePdf({ invoice, customer, ...change });
  };

  test('are in the inbox with the bytes of the download, also after the invoice has changed', async () => {
    const tenant = testTenant();
    const { id } = await issue(tenant);
    const email = await emailWith(tenant, sent);
    const bytes = await downloaded(id, { isTest: true });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = { filename: 'INV-000001.pdf', contentType: 'application/pdf' };
    expect(email.content?.attachments).toEqual([{ ...file, size: bytes.length, sha256 }]);
    const [shown] = await emailsOf(tenant, true);
    expect(shown?.content?.attachments).toEqual(email.content?.attachments);
    facts.settled.add(id);
    const { contentType, data } = await read(tenant, email.id);
    expect(contentType).toBe('application/pdf');
    expect(Buffer.from(data).equals(bytes)).toBe(true);
  });

  test('go to the mail server with the logo of the seller', async () => {
    const tenant = testTenant({ live: true });
    const { id, to } = await issue(tenant, { seller });
    await emailWith(tenant, sent);
    const [mail, ...others] = server.received.filter((received) => received.to === to);
    expect(others).toEqual([]);
    const [head = '', base64 = ''] = mail!.content
      .slice(mail!.content.indexOf('application/pdf'))
      .split('\r\n\r\n');
    expect(head).toContain('filename=INV-000001.pdf');
    const bytes = await downloaded(id, { logo });
    const received = Buffer.from(base64.slice(0, base64.indexOf('--')), 'base64');
    expect(received.equals(bytes)).toBe(true);
  });

  test('have next to them the logo of the seller, which the HTML shows', async () => {
    const tenant = testTenant({ live: true });
    facts.logo = Logo.fromPartial({ sha256: logoSha256, width: 1, height: 1 });
    const { to } = await issue(tenant);
    const email = await emailWith(tenant, sent);
    expect(email.content?.html).toContain(`src="cid:${logoSha256}@logo" alt="Acme, Inc."`);
    // Attachments are the files that the recipient sees as such.
    expect(email.content?.attachments).toHaveLength(1);
    const { content = '' } = server.received.find((mail) => mail.to === to) ?? {};
    const unfolded = content.replaceAll('\r\n ', ' ');
    const part = unfolded.slice(unfolded.indexOf(`Content-ID: <${logoSha256}@logo>`));
    expect(part).toContain('Content-Disposition: inline; filename=logo.png');
    expect(part.replaceAll('\r\n', '')).toContain(logo.toString('base64'));
  });

  test('that cannot be read delay their mail, which is made and sent once', async () => {
    const tenant = testTenant({ live: true });
    server.answers = { rcpt: () => ({ code: 450, text: 'Later' }) };
    facts.areLogosDown = true;
    const { to } = await issue(tenant, { seller });
    await untilLogosAreRefused(2);
    expect(await emailsOf(tenant)).toEqual([]);
    facts.areLogosDown = false;
    const { id } = await emailWith(tenant, { attempts: 1, reason: 'smtp_450' });
    server.answers = {};
    facts.areLogosDown = true;
    facts.logosRefused = 0;
    await dueNow(tenant);
    await untilLogosAreRefused(1);
    expect(await emailsOf(tenant)).toMatchObject([{ id, attempts: 1 }]);
    facts.areLogosDown = false;
    await dueNow(tenant);
    expect(await emailWith(tenant, sent)).toMatchObject({ id, attempts: 2 });
    expect(server.received.filter((mail) => mail.to === to)).toHaveLength(1);
  });

  test('are left out where the seller has switched them off', async () => {
    const tenant = testTenant();
    const kind = EmailKind.EMAIL_KIND_INVOICE_ISSUED;
    await notifier.mailSettingsCalls.updateEmailSettings(
      {
        ...{ updateMask: [], fromName: undefined, fromAddress: undefined, replyTo: undefined },
        ...{ kinds: [], pdfs: [{ kind, attached: false }] },
      },
      testContext({ tenant }),
    );
    await issue(tenant);
    const email = await emailWith(tenant, sent);
    expect(email.content?.attachments).toEqual([]);
    await expect(read(tenant, email.id)).rejects.toMatchObject({ reason: 'EMAIL_NOT_FOUND' });
  });

  test('are in a mail that is sent again, and unknown by another name', async () => {
    const tenant = testTenant();
    const { id } = await issue(tenant);
    const email = await emailWith(tenant, sent);
    const context = testContext({ tenant });
    const { email: copy } = await notifier.mailCalls.resendEmail({ id: email.id }, context);
    expect(copy?.content?.attachments).toEqual(email.content?.attachments);
    const { data } = await read(tenant, copy!.id);
    expect(Buffer.from(data).equals(await downloaded(id, { isTest: true }))).toBe(true);
    await expect(read(tenant, email.id, 'INV-000002.pdf')).rejects.toMatchObject({
      reason: 'EMAIL_NOT_FOUND',
    });
    await expect(read(testTenant(), email.id)).rejects.toMatchObject({ reason: 'EMAIL_NOT_FOUND' });
  });
});
