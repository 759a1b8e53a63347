import { eventually } from '@billing/chassis/testing';
import type { Answer, ApiClient } from '../support/api-client';
import { product, unknownId } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';
const lines = [{ description: 'Installation', amount: 500 }];
const templateOf = '/email-templates/RECEIPT/en';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
});

const patch = (path: string, body: object) => api.request('PATCH', path, { body });
const refusal = async (answer: Promise<Answer>) => {
  const { status, body, headers } = await answer;
  return [status, body.error, headers.get('error-code')];
};

async function aCustomer(client = api, customer: object = {}): Promise<string> {
  const body = { email: 'a@b.co', collectionMethod: 'SEND_INVOICE', currency: 'USD', ...customer };
  return (await client.expect(201, client.post('/customers', body))).id;
}

async function anInvoice(client = api, customerId?: string): Promise<string> {
  const body = { customerId: customerId ?? (await aCustomer(client)), lines };
  return (await client.expect(201, client.post('/invoices', body))).id;
}

async function anOpenInvoice(client = api, customerId?: string): Promise<string> {
  const id = await anInvoice(client, customerId);
  await client.expect(200, client.post(`/invoices/${id}/finalize`));
  return id;
}

const sent = async (customerId?: string): Promise<any> =>
  api.expect(201, api.post(`/invoices/${await anOpenInvoice(api, customerId)}/send`));

describe('emails', () => {
  test.each([
    ['GET', `/emails/${unknownId}`, 'Email not found'],
    ['GET', '/emails/malformed', 'Email not found'],
    ['GET', `/emails/${unknownId}/attachments/a.pdf`, 'Email not found'],
    ['POST', `/emails/${unknownId}/resend`, 'Email not found'],
    ['POST', `/invoices/${unknownId}/send`, 'Invoice not found'],
    ['DELETE', `/email-suppressions/${unknownId}`, 'Email suppression not found'],
    ['GET', '/email-templates/OTHER/en', 'Email template not found'],
    ['GET', '/email-templates/RECEIPT/sv', 'Email template not found'],
    ['DELETE', '/email-templates/RECEIPT/sv', 'Email template not found'],
  ])('%s %s is unknown', async (method, path, text) => {
    const code = text.toLowerCase().replaceAll(' ', '_');
    const body = method === 'POST' ? { body: {} } : {};
    expect(await refusal(api.request(method, path, body))).toEqual([404, text, code]);
  });

  test('an unknown template is not changed, nor a bounce recorded for an unknown email', async () => {
    const notFound = [404, 'Email template not found', 'email_template_not_found'];
    const subject = { subject: 'Receipt' };
    expect(await refusal(patch('/email-templates/RECEIPT/sv', subject))).toEqual(notFound);
    expect(await refusal(patch('/email-templates/OTHER/en', subject))).toEqual(notFound);
    const bounced = api.post(`/emails/${unknownId}/bounce`, { type: 'HARD' });
    expect(await refusal(bounced)).toEqual([404, 'Email not found', 'email_not_found']);
  });

  test('an attachment of another name is unknown', async () => {
    const { id, content } = await sent();
    const [{ filename }] = content.attachments;
    expect((await api.get(`/emails/${id}/attachments/${filename}`)).status).toBe(200);
    const other = api.get(`/emails/${id}/attachments/other.pdf`);
    expect(await refusal(other)).toEqual([404, 'Email not found', 'email_not_found']);
  });

  test('lists and bounces refuse unknown values', async () => {
    for (const path of ['/emails', '/sandboxes/inbox']) {
      expect(await api.expect(400, api.get(`${path}?kind=OTHER&status=OTHER&page=0`))).toEqual({
        error: {
          kind: [expect.stringMatching(/^Must be one of INVOICE_ISSUED, RECEIPT, /)],
          status: ['Must be one of PENDING, SENT, FAILED, BOUNCED, SKIPPED, UNKNOWN'],
          page: [expect.any(String)],
        },
      });
    }
    const { id } = await sent();
    const types = ['Must be one of HARD, COMPLAINT'];
    for (const body of [{ type: 'SOFT' }, { type: 7 }]) {
      expect(await api.expect(400, api.post(`/emails/${id}/bounce`, body))).toEqual({
        error: { type: types },
      });
    }
    expect(await api.expect(400, api.post(`/emails/${id}/bounce`))).toEqual({
      error: { type: ['Required'] },
    });
  });

  test('a link to the portal is not sent again, and a skipped email did not bounce', async () => {
    const customerId = await aCustomer(api, { email: 'skipped@example.com' });
    await api.expect(201, api.post('/portal/sessions', { customerId, sendEmail: true }));
    const link = await eventually(async () => {
      const { data } = await api.expect(200, api.get(`/emails?customerId=${customerId}`));
      expect(data).toHaveLength(1);
      return data[0];
    });
    expect(link.kind).toBe('PORTAL_LINK');
    expect(await refusal(api.post(`/emails/${link.id}/resend`))).toEqual([
      409,
      'This email cannot be sent again',
      'conflict',
    ]);
    const { id } = await sent(customerId);
    const bounce = (of: string) => api.post(`/emails/${of}/bounce`, { type: 'COMPLAINT' });
    expect(await api.expect(200, bounce(id))).toMatchObject({ status: 'BOUNCED' });
    expect(await api.expect(200, bounce(id))).toMatchObject({ reason: 'complaint' });
    const skipped = await sent(customerId);
    expect(skipped).toMatchObject({ status: 'SKIPPED', reason: 'suppressed' });
    expect(await refusal(bounce(skipped.id))).toEqual([409, 'This email was not sent', 'conflict']);
  });

  test('only open and paid invoices are sent', async () => {
    const refused = [409, 'This invoice cannot be sent', 'conflict'];
    const draft = await anInvoice();
    expect(await refusal(api.post(`/invoices/${draft}/send`))).toEqual(refused);
    const open = await anOpenInvoice();
    await api.expect(201, api.post(`/invoices/${open}/send`));
    await api.expect(200, api.post(`/invoices/${open}/void`));
    expect(await refusal(api.post(`/invoices/${open}/send`))).toEqual(refused);
    const customerId = await aCustomer();
    const { id: productId } = await api.expect(201, api.post('/products', product));
    const { invoice } = await api.expect(201, api.post('/checkout', { customerId, productId }));
    expect(await refusal(api.post(`/invoices/${String(invoice.id)}/send`))).toEqual(refused);
  });

  test('a live environment has no inbox, and sends nothing without a mail server', async () => {
    const { live } = system;
    expect(await refusal(live.get('/sandboxes/inbox'))).toEqual([
      409,
      'The live environment has no inbox',
      'conflict',
    ]);
    const noServer = [409, 'No mail server is configured', 'conflict'];
    const customerId = await aCustomer(live);
    const invoiceId = await anOpenInvoice(live, customerId);
    expect(await refusal(live.post(`/invoices/${invoiceId}/send`))).toEqual(noServer);
    const session = live.post('/portal/sessions', { customerId, sendEmail: true });
    expect(await refusal(session)).toEqual(noServer);
    const fromAddress = 'billing@example.com';
    const change = live.request('PATCH', '/email-settings', { body: { fromAddress } });
    expect(await live.expect(400, change)).toEqual({
      error: { fromAddress: ['Domain is not allowed'] },
    });
  });
});

test('email settings are refused for all invalid fields at once', async () => {
  const changes = {
    ...{ fromName: 'x'.repeat(101), fromAddress: 'x', replyTo: 'x', serverConfigured: true },
    ...{ createdAt: startsAt, updatedAt: startsAt },
    kinds: { OTHER: { enabled: false }, CARD_EXPIRING: { attachPdf: true } },
  };
  expect(await api.expect(400, patch('/email-settings', changes))).toEqual({
    error: {
      fromName: ['Must be at most 100 characters'],
      fromAddress: ['Invalid email'],
      replyTo: ['Invalid email'],
      serverConfigured: ['Cannot be changed'],
      createdAt: ['Cannot be changed'],
      updatedAt: ['Cannot be changed'],
      kinds: ['Unknown kind: OTHER', 'No PDF for CARD_EXPIRING'],
    },
  });
  const named = patch('/email-settings', { fromName: 'a\nb' });
  expect(await api.expect(400, named)).toEqual({
    error: { fromName: ['Must not contain control characters'] },
  });
  const { kinds } = await api.expect(200, api.get('/email-settings'));
  expect(kinds.CARD_EXPIRING).toEqual({ enabled: true, attachPdf: null });
});

describe('texts of emails', () => {
  const preview = (body: object) => api.post('/email-templates/preview', body);

  test.each<[string, object, object]>([
    ['an empty subject', { subject: ' ' }, { subject: ['Required'] }],
    ['an empty body', { body: ' ' }, { body: ['Required'] }],
    [
      'a long subject',
      { subject: 'x'.repeat(201) },
      { subject: ['Must be at most 200 characters'] },
    ],
    ['a long body', { body: 'x'.repeat(10_001) }, { body: ['Must be at most 10000 characters'] }],
    [
      'a line break in the subject',
      { subject: 'a\r\nBcc: x@y.co' },
      { subject: ['Must not contain line breaks'] },
    ],
    [
      'an unknown variable',
      { subject: '{{invoice.secret}}', body: '{{payment.reason}}' },
      {
        subject: ['Unknown variable: invoice.secret'],
        body: ['Unknown variable: payment.reason'],
      },
    ],
    [
      'an open section',
      { subject: '{{#card}}x', body: '{{/link}}' },
      { subject: ['Unclosed section: card'], body: ['Unclosed section: link'] },
    ],
    ['a link to a script', { body: '[x](javascript:alert)' }, { body: ['Unsupported link'] }],
    ['a link without encryption', { body: '[x](http://a.co)' }, { body: ['Unsupported link'] }],
  ])('%s is refused in templates and previews', async (_name, texts, error) => {
    expect(await api.expect(400, patch(templateOf, texts))).toEqual({ error });
    expect(await api.expect(400, preview({ kind: 'RECEIPT', ...texts }))).toEqual({ error });
  });

  test.each([
    'INVOICE_ISSUED',
    'PAYMENT_FAILED',
    'ACTION_REQUIRED',
    'PAYMENT_REMINDER',
    'PORTAL_LINK',
  ])('the body of %s must contain the link', async (kind) => {
    const error = { body: ['Must contain {{link}}'] };
    const body = 'Please pay.';
    expect(await api.expect(400, patch(`/email-templates/${kind}/de`, { body }))).toEqual({
      error,
    });
    expect(await api.expect(400, preview({ kind, body }))).toEqual({ error });
  });

  test('fields that identify a template cannot be changed', async () => {
    const frozen = ['kind', 'language', 'isDefault', 'variables', 'updatedAt'];
    const changes = Object.fromEntries(frozen.map((field) => [field, 'x']));
    const refused = frozen.map((field) => [field, ['Cannot be changed']]);
    expect(await api.expect(400, patch(templateOf, changes))).toEqual({
      error: Object.fromEntries(refused),
    });
    expect(await api.expect(200, api.get(templateOf))).toMatchObject({ isDefault: true });
    expect(await api.expect(200, api.get('/email-templates'))).toEqual([]);
  });

  test('a preview refuses unknown kinds, languages and resources', async () => {
    const answer = await api.expect(400, preview({ kind: 'OTHER', language: 'sv' }));
    expect(answer).toEqual({
      error: {
        kind: [expect.stringMatching(/^Must be one of INVOICE_ISSUED, /)],
        language: ['Must be one of en, de, fr, it, es, pt, nl, pl, ja, zh'],
      },
    });
    for (const [field, kind, text] of [
      ['customerId', 'CARD_EXPIRING', 'Customer not found'],
      ['invoiceId', 'RECEIPT', 'Invoice not found'],
      ['subscriptionId', 'TRIAL_ENDING', 'Subscription not found'],
    ] as const) {
      const code = text.toLowerCase().replaceAll(' ', '_');
      const unknown = preview({ kind, [field]: unknownId });
      expect(await refusal(unknown)).toEqual([404, text, code]);
    }
  });
});
