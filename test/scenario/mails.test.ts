import { createHash } from 'node:crypto';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

describe('the inbox of a sandbox', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-17', (begun) => {
    scenario = begun;
  });

  test.each<[string, object, string, string[]]>([
    [
      'a trial whose card fails at its end',
      { product: { amount: 2900, trialDays: 14 }, authorizedTransactionId: cards.failsWhenSaved },
      '2026-03-01',
      [
        '2026-01-17 TRIAL_STARTED',
        '2026-01-28 TRIAL_ENDING',
        '2026-01-31 PAYMENT_FAILED',
        '2026-02-03 PAYMENT_FAILED',
        '2026-02-07 PAYMENT_FAILED',
        '2026-02-14 SUBSCRIPTION_CANCELED',
      ],
    ],
    [
      'a card that is declined permanently',
      { authorizedTransactionId: 'txn_4000000000009979' },
      '2026-03-01',
      [
        '2026-01-17 PAYMENT_FAILED',
        '2026-01-20 PAYMENT_REMINDER',
        '2026-01-24 PAYMENT_REMINDER',
        '2026-01-31 SUBSCRIPTION_CANCELED',
      ],
    ],
    [
      'a subscription without a card',
      { authorizedTransactionId: undefined },
      '2026-03-01',
      [
        '2026-01-17 INVOICE_ISSUED',
        '2026-01-20 PAYMENT_REMINDER',
        '2026-01-24 PAYMENT_REMINDER',
        '2026-01-31 SUBSCRIPTION_CANCELED',
      ],
    ],
    [
      'a yearly plan after a trial of four days',
      { product: { billingInterval: 'YEARLY', trialDays: 4 } },
      '2027-02-01',
      [
        '2026-01-17 TRIAL_STARTED',
        '2026-01-18 TRIAL_ENDING',
        '2026-01-21 RECEIPT',
        '2026-12-22 RENEWAL_UPCOMING',
        '2027-01-21 RECEIPT',
      ],
    ],
    [
      'a yearly plan',
      { product: { billingInterval: 'YEARLY' } },
      '2027-01-18',
      ['2026-01-17 RECEIPT', '2026-12-18 RENEWAL_UPCOMING', '2027-01-17 RECEIPT'],
    ],
    [
      'a quarterly plan after a trial of three days',
      { product: { billingInterval: 'QUARTERLY', trialDays: 3 } },
      '2026-05-01',
      ['2026-01-17 TRIAL_STARTED', '2026-01-20 RECEIPT', '2026-04-20 RECEIPT'],
    ],
  ])('has the mails of %s, each at its time', async (_name, input, until, expected) => {
    await scenario.subscription(input as Record<string, unknown>);
    await scenario.advanceTo(until);
    expect(await scenario.mails()).toEqual(expected);
  });

  test('has one mail for each failure of an invoice that waits, and its events tell all of them', async () => {
    const { client } = scenario;
    const product = { amount: 2900, trialDays: 14 };
    const authorizedTransactionId = cards.failsWhenSaved;
    const subscription = await scenario.subscription({ product, authorizedTransactionId });
    await scenario.advanceTo('2026-03-01');
    const [invoice] = await scenario.invoices(subscription);
    const { data } = await client.expect(200, client.get('/webhook-events?types=invoice.*'));
    const events = data.filter(({ subject }: any) => subject.id === invoice.id);
    const told = events.map(({ event: { sequence, type, data: facts } }: any) =>
      [sequence, type, facts.collection].filter((part) => part !== undefined).join(' '),
    );
    expect(told).toEqual([
      '1 invoice.created',
      '2 invoice.payment_failed WAITING',
      '3 invoice.payment_failed WAITING',
      '4 invoice.payment_failed WAITING',
      '5 invoice.payment_failed ENDED',
      '6 invoice.uncollectible',
    ]);
    const inbox = await client.all(`/sandboxes/inbox?invoiceId=${String(invoice.id)}`);
    const causes = inbox.map(({ kind, webhookEventId }) => [kind, webhookEventId]).toReversed();
    const waiting = events.slice(1, 4).map(({ event }: any) => ['PAYMENT_FAILED', event.id]);
    expect(causes).toEqual(waiting);
  });

  test('reminds of a sent invoice that is not paid', async () => {
    await scenario.advanceTo('2026-02-01');
    const { id: customerId } = await scenario.customer();
    const lines = [{ description: 'Setup', amount: 5000 }];
    const body = { customerId, collectionMethod: 'SEND_INVOICE', finalize: true, lines };
    await scenario.client.expect(201, scenario.client.post('/invoices', body));
    await scenario.advanceTo('2026-05-01');
    expect(await scenario.mails()).toEqual([
      '2026-02-01 INVOICE_ISSUED',
      '2026-03-03 PAYMENT_REMINDER',
      '2026-03-06 PAYMENT_REMINDER',
      '2026-03-10 PAYMENT_REMINDER',
      '2026-03-17 PAYMENT_REMINDER',
    ]);
  });

  test('names the card that paid and the card that failed, and REST shows it with the payment', async () => {
    const { client } = scenario;
    for (const [kind, subject] of [
      ['RECEIPT', 'Paid with {{card}}'],
      ['PAYMENT_FAILED', 'Declined: {{card}}'],
    ] as const) {
      const path = `/email-templates/${kind}/en`;
      await client.expect(200, client.request('PATCH', path, { body: { subject } }));
    }
    const subscription = await scenario.subscription({
      authorizedTransactionId: cards.failsWhenSaved,
    });
    await scenario.advanceTo('2026-02-18');
    const inbox = await client.all('/sandboxes/inbox');
    expect(inbox.map((mail) => mail.subject).toReversed()).toEqual([
      'Paid with Visa ···· 0341',
      'Declined: Visa ···· 0341',
    ]);
    const { id } = await scenario.read(subscription);
    const invoices = await client.all(`/invoices?subscriptionId=${String(id)}`);
    const card = { brand: 'visa', last4: '0341' };
    expect(invoices.flatMap(({ payments }) => payments)).toMatchObject([
      { status: 'FAILED', card },
      { status: 'SUCCEEDED', card },
    ]);
  });

  const bytesOf = async (path: string) => {
    const { gatewayUrl, key = '' } = scenario.client;
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${gatewayUrl}/v1${path}`, { headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/pdf',
    ]);
    return Buffer.from(await response.arrayBuffer());
  };

  test('has the PDFs of the downloads, in the language of the customer, also after changes', async () => {
    const { client } = scenario;
    const seller = {
      legalName: 'Acme GmbH',
      address: { line1: 'Weg 1', city: 'Bonn', country: 'DE' },
    };
    await client.expect(200, client.request('PATCH', '/seller', { body: seller }));
    const subscription = await scenario.subscription({ customer: { locale: 'ja' } });
    const { latestInvoiceId: invoiceId } = await scenario.read(subscription);
    const receipt = await bytesOf(`/invoices/${String(invoiceId)}/pdf`);
    const input = { invoiceId, amount: 500, reason: 'OTHER', settle: 'REFUND' };
    const note = await client.expect(201, client.post('/credit-notes', input));
    await scenario.advanceTo('2026-01-18');
    const credit = await bytesOf(`/credit-notes/${String(note.id)}/pdf`);
    const inbox = await client.all('/sandboxes/inbox');
    // Both were made at one instant of the sandbox clock, so their order is not known.
    expect(inbox.map(({ kind }) => kind).toSorted()).toEqual(['CREDIT_NOTE_ISSUED', 'RECEIPT']);
    const [noteMail, receiptMail] = inbox.toSorted((a, b) => a.kind.localeCompare(b.kind));
    for (const [mail, bytes] of [
      [noteMail, credit],
      [receiptMail, receipt],
    ]) {
      const [{ filename, ...attachment }] = mail.content.attachments;
      expect(attachment).toEqual({
        contentType: 'application/pdf',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
      const sent = await bytesOf(`/emails/${String(mail.id)}/attachments/${String(filename)}`);
      expect(sent.equals(bytes)).toBe(true);
    }
    // The invoice has a refund since.
    expect((await bytesOf(`/invoices/${String(invoiceId)}/pdf`)).equals(receipt)).toBe(false);
    const path = `/emails/${String(receiptMail.id)}/attachments/x.pdf`;
    expect(await client.expect(404, client.get(path))).toEqual({ error: 'Email not found' });
  });
});
