import { systemClock } from '@billing/chassis/clock';
import type { TestCard } from '@billing/checkout/testing/stripe-account';
import { signedNotice, TestStripe } from '@billing/checkout/testing/stripe-provider';
import type { ApiClient } from '../support/api-client';
import { OperatorClient } from '../support/operator-client';
import { instant, product } from '../support/patterns';
import { Payer, type PayerPage } from '../support/payer';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

// Differences of a provider that takes cards, and authenticates payers, on its own pages.

const secret = 'whsec_of_the_tests';
const usd = { ...product, currency: 'usd' };

let stripe: TestStripe;
let system: OwnTestSystem;
let api: ApiClient;
let payer: Payer;

beforeAll(async () => {
  stripe = await TestStripe.start();
  system = await startTestSystem({
    ownProcess: true,
    stripe: {
      STRIPE_SECRET_KEY: 'sk_test_secret',
      STRIPE_WEBHOOK_SECRET: secret,
      STRIPE_API_URL: stripe.url,
    },
  });
  api = system.live;
  payer = new Payer(system.gatewayUrl);
});

afterAll(async () => {
  await system.stop();
  await stripe.close();
});

const create = (path: string, body: object): Promise<any> => api.expect(201, api.post(path, body));

async function begin(terms: object = {}): Promise<any> {
  const { id: customerId } = await create('/customers', { email: 'ada@example.com' });
  const { id: productId } = await create('/products', { ...usd, ...terms });
  return create('/checkout', { customerId, productId });
}

const sessionOf = ({ sessionId }: any): Promise<any> =>
  api.expect(200, api.get(`/checkout/${sessionId}`));

/** Enters a card on the provider's page, and returns. */
async function enterCard(page: PayerPage, card: TestCard = {}): Promise<PayerPage> {
  const leading = await payer.submit(page);
  const setupId = linkOf(leading).split('/').at(-1) ?? '';
  stripe.account.completeSession(setupId, card);
  return payer.open(`${page.url.replace(/\?.*/, '')}/card?setup_id=${setupId}`);
}

function linkOf({ root }: PayerPage): string {
  return root.querySelector('a.button')?.getAttribute('href') ?? '';
}

test("the page leads to the provider's card form, and charges the card when the payer confirms", async () => {
  const begun = await begin();
  const page = await payer.open(begun.checkoutUrl);
  expect(page.text).not.toContain('No real charges');
  expect(page.root.querySelector('input')).toBeNull();
  const leading = await payer.submit(page);
  expect(linkOf(leading)).toMatch(/^https:\/\//);
  expect(leading.headers.get('refresh')).toBe(`0; url=${linkOf(leading)}`);
  const back = await enterCard(page);
  // A browser that prefetches an address pays nothing.
  expect((await sessionOf(begun)).status).toBe('OPEN');
  const paid = await payer.submit(back);
  expect(paid.text).toContain('Your payment has been received');
  expect(await sessionOf(begun)).toMatchObject({
    status: 'COMPLETE',
    invoice: { payments: [{ provider: 'stripe', status: 'SUCCEEDED', amount: 2900 }] },
  });
});

test('a page that is opened repeatedly creates nothing at the provider', async () => {
  const { checkoutUrl } = await begin();
  // The expiries of cards are read now and then.
  const made = () => stripe.requests.filter((request) => request.startsWith('POST ')).length;
  const before = made();
  for (let turn = 0; turn < 3; turn += 1) {
    expect((await payer.open(checkoutUrl)).text).toContain('Continue to card details');
  }
  expect(made()).toBe(before);
});

test('a card that was not entered leads back to the page', async () => {
  const { checkoutUrl } = await begin();
  const leading = await payer.submit(await payer.open(checkoutUrl));
  const setupId = linkOf(leading).split('/').at(-1) ?? '';
  const back = await payer.open(`${checkoutUrl}/card?setup_id=${setupId}`);
  expect((await payer.submit(back)).text).toContain('Continue to card details');
});

test('a trial saves the card and charges nothing', async () => {
  const taken = stripe.account.taken();
  const begun = await begin({ trialDays: 7 });
  const back = await enterCard(await payer.open(begun.checkoutUrl));
  expect((await payer.submit(back)).text).toContain('Nothing was charged');
  expect(stripe.account.taken()).toEqual(taken);
});

describe('a bank that authenticates its payer', () => {
  /** The page that redirects to the bank, after a card was entered that requires it. */
  async function challenge(begun: any, card: TestCard = {}): Promise<PayerPage> {
    const back = await enterCard(await payer.open(begun.checkoutUrl), { asksPayer: true, ...card });
    return payer.submit(back);
  }

  const intentOf = (page: PayerPage) => linkOf(page).split('/').at(-1) ?? '';

  test('gets the payer, who returns to a paid session', async () => {
    const begun = await begin();
    const leading = await challenge(begun);
    expect(leading.headers.get('refresh')).toBe(`0; url=${linkOf(leading)}`);
    stripe.account.answerChallenge(intentOf(leading), true);
    const paid = await payer.open(`${begun.checkoutUrl}/return`);
    expect(paid.text).toContain('Your payment has been received');
  });

  test('is asked again by a payer who returns too early', async () => {
    const begun = await begin();
    const leading = await challenge(begun);
    expect(linkOf(await payer.open(`${begun.checkoutUrl}/return`))).toBe(linkOf(leading));
    const waiting = await payer.open(begun.checkoutUrl);
    expect(waiting.text).toContain('Confirm your payment');
    expect(linkOf(await payer.submit(waiting))).toBe(linkOf(leading));
  });

  test('may refuse, and another card pays', async () => {
    const begun = await begin();
    const leading = await challenge(begun);
    stripe.account.answerChallenge(intentOf(leading), false);
    const refused = await payer.open(`${begun.checkoutUrl}/return`);
    expect(refused.text).toContain('The last payment failed');
    expect((await payer.submit(await enterCard(refused))).text).toContain('Thank you');
  });
});

test('an invoice is paid in the same way, in the language of its customer', async () => {
  const { id: customerId } = await create('/customers', { email: 'a@b.co' });
  const { id: productId } = await create('/products', usd);
  const { latestInvoiceId } = await create('/subscriptions', { customerId, productId });
  const { hostedUrl, locale } = await api.expect(200, api.get(`/invoices/${latestInvoiceId}`));
  const german = { body: { locale: 'de' } };
  await api.expect(200, api.request('PATCH', `/customers/${String(customerId)}`, german));
  const languageOf = ({ root }: PayerPage) => root.querySelector('html')?.getAttribute('lang');
  const page = await payer.open(hostedUrl);
  const back = await enterCard(page, { asksPayer: true });
  const leading = await payer.submit(back);
  expect([locale, ...[page, back, leading].map(languageOf)]).toEqual(['en', 'de', 'de', 'de']);
  stripe.account.answerChallenge(linkOf(leading).split('/').at(-1) ?? '', true);
  const paid = await payer.open(`${hostedUrl}/return?locale=en`);
  expect(paid.text).toContain('This invoice is paid');
});

describe('a notification of the provider', () => {
  const send = (body: Buffer | string, headers: Record<string, string>) =>
    fetch(`${system.gatewayUrl}/provider-events/stripe`, { method: 'POST', body, headers });
  const notice = { type: 'payment_intent.succeeded', object: { id: 'pi_1', metadata: {} } };

  test('is accepted with its signature', async () => {
    const { body, signature } = signedNotice(notice, { secret, at: systemClock.now() });
    expect((await send(body, { 'Stripe-Signature': signature })).status).toBe(200);
  });

  test('is refused without, with another one, and for other bytes', async () => {
    const { body, signature } = signedNotice(notice, { secret, at: systemClock.now() });
    const others = [
      await send(body, {}),
      await send(body, { 'Stripe-Signature': 't=1,v1=00' }),
      await send(`${body.toString()} `, { 'Stripe-Signature': signature }),
    ];
    expect(others.map(({ status }) => status)).toEqual([400, 400, 400]);
    const long = await send('x'.repeat(1_100_000), { 'Stripe-Signature': signature });
    expect(long.status).toBe(413);
  });

  test('of refunds and disputes is shown to operators on the invoice, in its environment alone', async () => {
    const begun = await begin();
    await payer.submit(await enterCard(await payer.open(begun.checkoutUrl)));
    const { invoice } = await sessionOf(begun);
    const [{ providerPaymentId }] = invoice.payments;
    const charge = { object: 'charge', payment_intent: providerPaymentId, currency: 'usd' };
    const refund = { ...charge, amount_refunded: 900, status: 'succeeded' };
    const { body, signature } = signedNotice(
      { id: `${providerPaymentId}:refund`, type: 'charge.refunded', object: refund },
      { secret, at: systemClock.now() },
    );
    expect((await send(body, { 'Stripe-Signature': signature })).status).toBe(200);

    const owner = await OperatorClient.owner(system);
    const viewer = await owner.colleague('VIEWER');
    const [live, sandbox] = (await owner.api('GET', '/environments')).body.data;
    const path = `/provider-reports?invoiceId=${String(invoice.id)}`;
    const shown = await viewer.in(live.id).api('GET', path);
    expect([shown.status, shown.body]).toEqual([
      200,
      {
        data: [
          {
            id: `stripe:${providerPaymentId}:refund`,
            kind: 'REFUND',
            providerPaymentId,
            amount: 900,
            currency: 'USD',
            status: 'refunded',
            receivedAt: expect.stringMatching(instant),
          },
        ],
      },
    ]);
    expect((await viewer.in(sandbox.id).api('GET', path)).body).toEqual({ data: [] });
    expect((await viewer.in(live.id).api('GET', '/provider-reports')).status).toBe(400);
    expect((await viewer.api('GET', '/payment-provider')).body).toEqual({
      isConfigured: true,
      waitingInvoices: 0,
    });
  });
});
