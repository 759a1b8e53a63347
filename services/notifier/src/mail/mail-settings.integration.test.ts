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
import { EmailKind, EmailStatus } from '@billing/proto/billing/notifier/v1/mail';
import type { UpdateEmailSettingsRequest } from '@billing/proto/billing/notifier/v1/mail_settings';
import { mailKinds } from '@billing/presentation/mail-kind';
import { emailKinds } from '@billing/proto/values/notifier';
import { type EventOwner, startOwner } from '../testing/event-owner';
import { type MailFactsService, openInvoiceEvent, startMailFacts } from '../testing/mail-facts';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

const issued = EmailKind.EMAIL_KIND_INVOICE_ISSUED;

describe('settings and texts of mails', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let facts: MailFactsService;
  let invoices: EventOwner;
  let tenant: Tenant;
  const customerId = newId();
  const factsConfiguration = testServiceConfiguration('facts_mail_settings');
  const invoicesConfiguration = testServiceConfiguration('invoices_mail_settings');

  beforeAll(async () => {
    system = await startSystem('mail_settings');
    facts = await startMailFacts(factsConfiguration);
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
    const { address } = facts;
    notifier = await system.startNotifier(
      {},
      {
        CUSTOMER_ADDRESS: address,
        CATALOG_ADDRESS: address,
        CHECKOUT_ADDRESS: address,
        MAIL_FROM: 'billing@acme.example',
        MAIL_FROM_DOMAINS: ['acme.example'],
      },
    );
  });

  beforeEach(() => {
    tenant = testTenant();
  });

  afterAll(async () => {
    await system.close();
    await invoices.stop();
    await facts.stop();
    await dropTestDatabase(factsConfiguration, invoicesConfiguration);
  });

  const context = (owner = tenant) => testContext({ tenant: owner });

  const change = (changes: Partial<UpdateEmailSettingsRequest>, owner = tenant) =>
    notifier.mailSettingsCalls.updateEmailSettings(
      {
        updateMask: Object.keys(changes)
          .filter((name) => name !== 'kinds' && name !== 'pdfs')
          .map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
        fromName: undefined,
        fromAddress: undefined,
        replyTo: undefined,
        kinds: [],
        pdfs: [],
        ...changes,
      },
      context(owner),
    );

  const changeTemplate = (texts: { subject?: string; body?: string }) =>
    notifier.mailSettingsCalls.updateEmailTemplate(
      { kind: issued, language: 'en', subject: texts.subject, body: texts.body },
      context(),
    );

  const mails = async (count: number) =>
    eventually(async () => {
      const request = { page: 1, perPage: 10, inbox: true };
      const { emails } = await notifier.mailCalls.listEmails(request, context());
      expect(emails).toHaveLength(count);
      return emails;
    });

  test('have their defaults before the first change', async () => {
    const { settings } = await notifier.mailSettingsCalls.getEmailSettings({}, context());
    const kinds = [
      EmailKind.EMAIL_KIND_INVOICE_ISSUED,
      EmailKind.EMAIL_KIND_RECEIPT,
      EmailKind.EMAIL_KIND_PAYMENT_REMINDER,
      EmailKind.EMAIL_KIND_CREDIT_NOTE_ISSUED,
    ];
    expect(settings).toEqual({
      disabledKinds: [],
      serverConfigured: false,
      pdfs: kinds.map((kind) => ({ kind, attached: true })),
    });
  });

  test('decide about the sender of the next mail', async () => {
    const changed = await change({
      fromName: 'Acme Billing',
      fromAddress: 'hello@shop.example',
      replyTo: 'help@shop.example',
    });
    expect(changed.settings).toMatchObject({ createdAt: expect.any(Date), disabledKinds: [] });
    await invoices.announce(tenant, newId());
    expect((await mails(1))[0]).toMatchObject({
      from: 'Acme Billing <hello@shop.example>',
      replyTo: 'help@shop.example',
    });
  });

  test('allow a live environment the domains of the configuration only', async () => {
    const live = { ...testTenant(), live: true };
    await expect(change({ fromAddress: 'a@shop.example' }, live)).rejects.toMatchObject({
      fields: { fromAddress: ['Domain is not allowed'] },
    });
    const { settings } = await change({ fromAddress: 'a@ACME.example' }, live);
    expect(settings?.fromAddress).toBe('a@ACME.example');
  });

  test('switch a kind off, but not a mail of it that is asked for', async () => {
    await change({ kinds: [{ kind: issued, enabled: false }] });
    await invoices.announce(tenant, newId());
    const live = { ...testTenant(), live: true };
    const request = { invoiceId: newId() };
    await expect(notifier.mailCalls.sendInvoiceEmail(request, context(live))).rejects.toThrow(
      'No mail server is configured',
    );
    facts.customerOfInvoices = customerId;
    const { email } = await notifier.mailCalls.sendInvoiceEmail(request, context());
    expect(email).toMatchObject({
      kind: issued,
      status: EmailStatus.EMAIL_STATUS_SENT,
      to: 'ada@example.com',
    });
    const { db } = system.mongo;
    await eventually(async () => {
      const { environmentId } = tenant;
      const position = await db.collection('mailPositions').findOne({ environmentId });
      expect(Number(position?.position)).toBe(1);
    });
    expect((await mails(1))[0]?.id).toBe(email?.id);
  });

  test('are used by the next mail, until the built-in text is restored', async () => {
    const body = '# Hi **{{customer.name}}**\n\n[Pay now]({{link}})';
    const { template } = await changeTemplate({ body });
    expect(template).toMatchObject({ body, isDefault: false, language: 'en' });
    expect(template?.subject).toContain('Invoice {{invoice.number}}');
    await invoices.announce(tenant, newId());
    const [written] = await mails(1);
    expect(written?.content?.text).toContain('Hi Ada\n\nPay now: https://billing.example');
    const key = { kind: issued, language: 'en' };
    const { templates } = await notifier.mailSettingsCalls.listEmailTemplates({}, context());
    expect(templates).toEqual([template]);
    for (let time = 1; time <= 2; time += 1) {
      await notifier.mailSettingsCalls.deleteEmailTemplate(key, context());
    }
    const restored = await notifier.mailSettingsCalls.getEmailTemplate(key, context());
    expect(restored.template).toMatchObject({ isDefault: true });
    await invoices.announce(tenant, newId());
    expect((await mails(2))[0]?.content?.text).toContain('Your invoice for $29.00 is ready.');
  });

  test('that a later release cannot render give way to the built-in text', async () => {
    await changeTemplate({ subject: 'Mine' });
    await system.mongo.db
      .collection('emailTemplates')
      .updateMany({ environmentId: tenant.environmentId }, { $set: { body: '{{gone}}' } });
    await invoices.announce(tenant, newId());
    expect((await mails(1))[0]).toMatchObject({
      subject: 'Invoice INV-000001 from Acme, Inc.: $29.00',
      status: EmailStatus.EMAIL_STATUS_SENT,
    });
  });

  test('that a later release cannot render give way in a preview, too', async () => {
    await changeTemplate({ subject: 'Mine' });
    await system.mongo.db
      .collection('emailTemplates')
      .updateMany({ environmentId: tenant.environmentId }, { $set: { body: '{{gone}}' } });
    const preview = (request: { subject?: string }) =>
      notifier.mailSettingsCalls.previewEmail({ kind: issued, ...request }, context());
    const builtIn = await preview({});
    expect(builtIn.subject).toContain('Invoice');
    expect(builtIn.text).toContain('is ready');
    expect(await preview({ subject: 'Yours' })).toMatchObject({
      subject: 'Yours',
      text: builtIn.text,
    });
  });

  test('are refused with the name of the field', async () => {
    await expect(changeTemplate({ subject: 'a\nb', body: '{{x}}' })).rejects.toMatchObject({
      fields: { subject: ['Must not contain line breaks'], body: ['Unknown variable: x'] },
    });
    await expect(
      notifier.mailSettingsCalls.getEmailTemplate({ kind: issued, language: 'xx' }, context()),
    ).rejects.toThrow('Email template not found');
  });

  test.each(mailKinds)('of kind %s can be previewed with sample data', async (name) => {
    const request = { kind: emailKinds.valueOf(name) };
    const preview = await notifier.mailSettingsCalls.previewEmail(request, context());
    expect(preview.subject).not.toBe('');
    expect(preview.text).toContain('TEST');
    expect(preview.html).not.toContain('{{');
  });

  test('can be previewed with a customer, and not with an unknown one', async () => {
    const request = { kind: issued, subject: '{{customer.email}}', customerId };
    const { subject } = await notifier.mailSettingsCalls.previewEmail(request, context());
    expect(subject).toBe('ada@example.com');
    await expect(
      notifier.mailSettingsCalls.previewEmail({ ...request, customerId: newId() }, context()),
    ).rejects.toThrow('Customer not found');
  });
});
