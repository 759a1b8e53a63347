import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { card, Payer, type PayerPage } from '../support/payer';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';
const successUrl = 'https://shop.example/thanks?session={SESSION_ID}';
const cancelUrl = 'https://shop.example/cart';

const declined = '4000000000000002';
const securedOnce = '4000002500003155';
const securedThenDeclined = '4000008400001629';

let system: TestSystem;
let api: ApiClient;
let payer: Payer;

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
  payer = new Payer(system.gatewayUrl);
});

const make = (path: string, body: object): Promise<any> => api.expect(201, api.post(path, body));
const usd = { ...product, currency: 'usd' };

/** Creates a session of a new customer for a new product. */
async function begin(terms: object = {}, more: object = {}): Promise<any> {
  const customer = await make('/customers', { email: 'ada@example.com', name: 'Ada' });
  const { id: productId } = await make('/products', { ...usd, ...terms });
  return make('/checkout', { customerId: customer.id, productId, ...more });
}

async function sessionOf({ sessionId }: any): Promise<any> {
  return api.expect(200, api.get(`/checkout/${sessionId}`));
}

function expectSafe({ headers }: PayerPage): void {
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+' 'sha256-[\w+/=]+'; (script-src 'self'; connect-src 'self'; )?base-uri 'none'; form-action 'self'[^;]*; frame-ancestors 'none'$/,
  );
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
}

describe('the page of a session', () => {
  test("shows the purchase, today's amount and the later ones", async () => {
    const { checkoutUrl } = await begin({ description: 'All of it.' }, { successUrl, cancelUrl });
    const page = await payer.open(checkoutUrl);
    expect(page.status).toBe(200);
    expectSafe(page);
    expect(page.headers.get('content-security-policy')).toContain(
      `form-action 'self' ${system.gatewayUrl} https://shop.example;`,
    );
    for (const text of [
      'Pro',
      'All of it.',
      '$29.00 due today',
      'Renews every month at the same price. Next charge on February 28, 2026',
      'TEST No real charges.',
      '4242 4242 4242 4242',
    ]) {
      expect(page.text).toContain(text);
    }
    expect(page.root.querySelector(`a[href="${cancelUrl}"]`)).not.toBeNull();
    const autocompletes = page.root
      .querySelectorAll('form input')
      .map((input) => input.getAttribute('autocomplete'));
    expect(autocompletes).toEqual(['cc-number', 'cc-exp', 'cc-csc', 'cc-name']);
  });

  test('takes a discount code, refuses a wrong one, and takes it off again', async () => {
    const half = { name: 'Half off', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const code = `half-${String(Date.now())}`;
    const { id: discountId } = await make('/discounts', { ...half, code });
    const begun = await begin({}, { allowDiscountCodes: true });
    const url = begun.checkoutUrl as string;
    expect((await payer.open(url)).text).toContain('Add a discount code');
    const wrong = await payer.post(`${url}/code`, { discountCode: 'wrong' });
    expect([wrong.status, wrong.text]).toEqual([
      200,
      expect.stringContaining('This code is not valid.'),
    ]);
    expect(await sessionOf(begun)).toMatchObject({
      ...{ discountId: null, invoiceId: begun.invoice.id },
    });
    const applied = await payer.post(`${url}/code`, { discountCode: ` ${code.toUpperCase()} ` });
    expectSafe(applied);
    expect(applied.text).toContain('$14.50 due today');
    expect(applied.text).toContain('Discount Half off is applied.');
    const session = await sessionOf(begun);
    expect(session).toMatchObject({ discountId, invoice: { status: 'OPEN', total: 1450 } });
    expect(session.invoiceId).not.toBe(begun.invoice.id);
    await eventually(async () => {
      const replaced = await api.expect(200, api.get(`/invoices/${String(begun.invoice.id)}`));
      expect(replaced.status).toBe('VOID');
    });
    const removed = await payer.post(`${url}/code/remove`, {});
    expect(removed.text).toContain('$29.00 due today');
    await payer.post(`${url}/code`, { discountCode: code });
    const paid = await payer.submit(await payer.open(url), card());
    expect(paid.text).toContain('Thank you');
    expect(await sessionOf(begun)).toMatchObject({
      status: 'COMPLETE',
      invoice: { amountPaid: 1450 },
      subscription: { discountId },
    });
    // What was taken off gives its redemption back.
    await eventually(async () => {
      const discount = await api.expect(200, api.get(`/discounts/${String(discountId)}`));
      expect(discount.redemptionCount).toBe(1);
    });
  });

  test('asks for no code while a challenge waits for its payer', async () => {
    const begun = await begin({}, { allowDiscountCodes: true });
    await payer.submit(await payer.open(begun.checkoutUrl), card(securedOnce));
    const answer = await payer.post(`${String(begun.checkoutUrl)}/code`, { discountCode: 'any' });
    expect(answer.text).toContain('A payment is running.');
  });

  test('shows all items of a purchase, also during a trial', async () => {
    const customer = await make('/customers', { email: 'ada@example.com' });
    const trial = await make('/products', { ...usd, trialDays: 14 });
    const seats = await make('/products', { ...usd, name: 'Seats', type: 'PER_UNIT', amount: 500 });
    const others = [{ productId: seats.id, quantity: 3 }];
    const open = async (productId: string) => {
      const items = [{ productId }, ...others];
      const { checkoutUrl } = await make('/checkout', { customerId: customer.id, items });
      return payer.open(checkoutUrl);
    };
    const page = await open((await make('/products', usd)).id);
    for (const text of ['$44.00 due today', 'Seats', '$15.00']) expect(page.text).toContain(text);
    const free = await open(trial.id);
    expect(free.text).toContain('14 days free, then $44.00 every month');
    expect(free.text).toContain('Seats');
    expect(free.text).toContain('Quantity: 3');
  });

  test('accepts a card and sends the payer back to the seller', async () => {
    const begun = await begin({}, { successUrl });
    const paid = await payer.submit(await payer.open(begun.checkoutUrl), card());
    expect([paid.status, paid.left]).toEqual([
      303,
      `https://shop.example/thanks?session=${begun.sessionId}`,
    ]);
    expect(await sessionOf(begun)).toMatchObject({
      status: 'COMPLETE',
      invoice: { status: 'PAID', amountPaid: 2900 },
      subscription: { status: 'ACTIVE' },
    });
    const again = await payer.open(begun.checkoutUrl);
    expect([again.status, again.root.querySelector('form')]).toEqual([200, null]);
    expect(again.text).toContain('Thank you');
  });

  test('thanks where no return address exists, and offers the invoice as PDF', async () => {
    const { checkoutUrl } = await begin();
    const thanks = await payer.submit(await payer.open(checkoutUrl), card());
    expect(thanks.text).toContain('Your payment has been received');
    const pdf = await fetch(`${checkoutUrl}/pdf`);
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  });

  test('reports a decline, keeps the name but not the card, and accepts another one', async () => {
    const begun = await begin();
    const refused = await payer.submit(await payer.open(begun.checkoutUrl), card(declined));
    expect(refused.text).toContain('Your card was declined');
    expect(refused.root.toString()).not.toContain(declined);
    expect(refused.root.querySelector('#name')?.getAttribute('value')).toBe('Ada Lovelace');
    expect((await sessionOf(begun)).lastPaymentError).toMatchObject({ code: 'card_declined' });
    const reloaded = await payer.open(begun.checkoutUrl);
    expect(reloaded.text).toContain('Your card was declined');
    const paid = await payer.submit(reloaded, card());
    expect(paid.text).toContain('Thank you');
    const { invoice } = await sessionOf(begun);
    expect(invoice.payments.map(({ status }: any) => status)).toEqual(['FAILED', 'SUCCEEDED']);
  });

  test.each([
    ['a number that is no test card', { ...card('4111111111111111') }, 'number'],
    ['no number', { ...card(''), 'cc-number': '' }, 'number'],
    ['a card that has expired', { ...card(), 'cc-exp': '01/20' }, 'expiry'],
    ['a code with letters', { ...card(), 'cc-csc': 'abc' }, 'code'],
  ])('refuses %s under its field, and shows none of the card', async (_case, typed, field) => {
    const begun = await begin();
    const page = await payer.submit(await payer.open(begun.checkoutUrl), typed);
    expect(page.status).toBe(400);
    expectSafe(page);
    const input = page.root.querySelector(`#${field}`);
    expect(input?.getAttribute('aria-invalid')).toBe('true');
    expect(page.root.querySelector(`#${field}-error`)?.textContent).not.toBe('');
    expect(page.root.querySelector(`[role=alert] a[href="#${field}"]`)).not.toBeNull();
    const values = page.root
      .querySelectorAll('form input:not([type=hidden])')
      .map((one) => [one.id, one.getAttribute('value') ?? '']);
    expect(values).toEqual([
      ['number', ''],
      ['expiry', ''],
      ['code', ''],
      ['name', 'Ada Lovelace'],
    ]);
    expect((await sessionOf(begun)).invoice.payments).toEqual([]);
  });

  test('asks for 3-D Secure by one more form', async () => {
    const begun = await begin({}, { successUrl });
    const asked = await payer.submit(await payer.open(begun.checkoutUrl), card(securedOnce));
    expect(asked.text).toContain('Confirm your payment');
    expect(asked.root.querySelector('[autocomplete=cc-number]')).toBeNull();
    expect((await sessionOf(begun)).invoice.payments).toMatchObject([
      { status: 'REQUIRES_ACTION' },
    ]);
    const paid = await payer.submit(asked, {}, { button: 'Approve' });
    expect(paid.left).toContain(begun.sessionId);
    expect((await sessionOf(begun)).invoice.payments).toMatchObject([{ status: 'SUCCEEDED' }]);
  });

  test.each([
    ['the payer declines', securedOnce, 'Decline'],
    ['the bank declines afterwards', securedThenDeclined, 'Approve'],
  ])('accepts another card when %s', async (_case, number, button) => {
    const begun = await begin();
    const asked = await payer.submit(await payer.open(begun.checkoutUrl), card(number));
    const refused = await payer.submit(asked, {}, { button });
    expect(refused.text).toContain('The last payment failed');
    const paid = await payer.submit(refused, card());
    expect(paid.text).toContain('Thank you');
  });

  test('lets a payer who is asked for 3-D Secure use another card', async () => {
    const begun = await begin();
    await payer.submit(await payer.open(begun.checkoutUrl), card(securedOnce));
    const other = await payer.open(`${begun.checkoutUrl}?card=other`);
    expect((await payer.submit(other, card())).text).toContain('Thank you');
    const { invoice } = await sessionOf(begun);
    expect(invoice.amountPaid).toBe(2900);
  });

  test('a form that is sent many times charges once', async () => {
    const begun = await begin();
    const page = await payer.open(begun.checkoutUrl);
    const answers = await Promise.all(Array.from({ length: 8 }, () => payer.submit(page, card())));
    for (const { status } of answers) expect(status).toBe(200);
    const session = await sessionOf(begun);
    expect(session).toMatchObject({ status: 'COMPLETE', invoice: { amountPaid: 2900 } });
    const successes = session.invoice.payments.filter((one: any) => one.status === 'SUCCEEDED');
    expect(successes).toHaveLength(1);
  });
});

describe('the page of a session with', () => {
  test('a trial asks for a card, saves it and charges nothing', async () => {
    const begun = await begin({ trialDays: 14 });
    const page = await payer.open(begun.checkoutUrl);
    expect(page.text).toContain('14 days free, then $29.00 every month from February 14, 2026');
    expect(page.text).toContain('$0.00 due today');
    expect((await payer.submit(page)).status).toBe(400);
    const done = await payer.submit(page, card());
    expect(done.text).toContain('Nothing was charged');
    expect(await sessionOf(begun)).toMatchObject({
      status: 'COMPLETE',
      invoice: { status: 'PAID', amountPaid: 0, payments: [] },
      subscription: { phase: 'TRIAL' },
    });
  });

  test('a trial reports a declined card, asks again, and asks for 3-D Secure by one more form', async () => {
    const begun = await begin({ trialDays: 14 });
    const refused = await payer.submit(await payer.open(begun.checkoutUrl), card(declined));
    expect(refused.text).toContain('Your card was declined');
    const asked = await payer.submit(refused, card(securedOnce));
    expect(asked.text).toContain('Confirm your card');
    expect(asked.root.querySelector('[autocomplete=cc-number]')).toBeNull();
    const again = await payer.open(begun.checkoutUrl);
    expect(again.text).toContain('Confirm your card');
    const done = await payer.submit(again, {}, { button: 'Approve' });
    expect(done.text).toContain('Nothing was charged');
    expect((await sessionOf(begun)).invoice.payments).toEqual([]);
  });

  test('a single payment says so', async () => {
    const begun = await begin({ billingInterval: 'ONE_TIME' });
    const page = await payer.open(begun.checkoutUrl);
    expect(page.text).toContain('$29.00 due today One-time payment. Nothing is charged later.');
    await payer.submit(page, card());
    expect(await sessionOf(begun)).toMatchObject({ status: 'COMPLETE', subscription: null });
  });

  test('a discount shows its amount and the later prices', async () => {
    const discount = await make('/discounts', {
      name: 'Half',
      type: 'PERCENTAGE',
      value: 50,
      duration: 'ONCE',
    });
    const begun = await begin({}, { discountId: discount.id });
    const page = await payer.open(begun.checkoutUrl);
    expect(page.text).toContain('Then $29.00 every month from February 28, 2026');
    expect(page.text).toContain('Discount: Half');
    expect(page.text).toContain('$14.50 due today');
  });

  test.each([
    [0, '$0.00 every month, plus usage', '$0.00 due today', 'Next usage charge on'],
    [2900, '$29.00 every month, plus usage', '$29.00 due today', 'Next charge plus usage on'],
  ])(
    'usage in addition to %d cents names its rates, and asks for a card',
    async (amount, summary, due, next) => {
      const meter = await make('/meters', { name: '<b>Storage</b>', unit: 'GB' });
      const customer = await make('/customers', { email: 'ada@example.com' });
      const { id: productId } = await make('/products', { ...usd, amount });
      const prices = [{ meterId: meter.id, unitAmount: '25', includedUnits: 10 }];
      await api.expect(
        200,
        api.request('PATCH', `/products/${productId}/meter-prices`, { body: { prices } }),
      );
      const { url } = await make('/checkout-links', { label: 'Plans', productIds: [productId] });
      const begun = await make('/checkout', { customerId: customer.id, productId });
      const page = await payer.open(begun.checkoutUrl);
      const rate = '<b>Storage</b> (GB): 10 included every month, then $0.25 each';
      for (const text of [due, next, 'Usage is billed afterwards, every month', rate]) {
        expect(page.text).toContain(text);
      }
      expect((await payer.open(url)).text).toContain(rate);
      expect(page.text).not.toContain('No card is needed');
      const done = await payer.submit(page, card());
      expect(done.text).toContain(summary);
      expect(await sessionOf(begun)).toMatchObject({ status: 'COMPLETE' });
      const { checkoutUrl } = await make('/checkout', { customerId: customer.id, productId });
      const bare = await payer.submit(await payer.open(checkoutUrl));
      expect(bare.status).toBe(amount === 0 ? 200 : 400);
    },
  );

  test('no amount, now or later, is confirmed without a card', async () => {
    const begun = await begin({ amount: 0 });
    const page = await payer.open(begun.checkoutUrl);
    expect(page.root.querySelector('[autocomplete=cc-number]')).toBeNull();
    const done = await payer.submit(page);
    expect(done.text).toContain('Your order is confirmed');
    expect(await sessionOf(begun)).toMatchObject({ status: 'COMPLETE' });
  });
});

describe('a page without a payment:', () => {
  test('an expired session is gone', async () => {
    const sandbox = await system.live.manualSandbox(startsAt);
    const create = (path: string, body: object): Promise<any> =>
      sandbox.expect(201, sandbox.post(path, body));
    const { id: customerId } = await create('/customers', { email: 'a@b.co' });
    const { id: productId } = await create('/products', usd);
    const begun = await create('/checkout', { customerId, productId, cancelUrl });
    const before = await payer.open(begun.checkoutUrl);
    await sandbox.advanceTo('2026-02-02T00:00:00.000Z');
    const page = await payer.open(begun.checkoutUrl);
    expect([page.status, page.root.querySelector('form')]).toEqual([410, null]);
    expect(page.text).toContain('This checkout has expired');
    expect(page.root.querySelector(`a[href="${cancelUrl}"]`)).not.toBeNull();
    expectSafe(page);
    expect((await payer.submit(before, card())).status).toBe(410);
  });

  test.each(['checkout', 'link', 'invoice'])(
    'an unknown token of a %s is not found',
    async (kind) => {
      for (const token of ['x', 'A'.repeat(43), '%ff', `${'A'.repeat(43)}/other`]) {
        const page = await payer.open(`${system.gatewayUrl}/${kind}/${token}`);
        expect(page.status).toBe(404);
      }
    },
  );

  test('a token opens only the page of its own kind', async () => {
    const { checkoutUrl } = await begin();
    const page = await payer.open(checkoutUrl.replace('/checkout/', '/invoice/'));
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('Page not found')]);
    expectSafe(page);
  });
});

describe('a form', () => {
  const form = 'application/x-www-form-urlencoded';

  test.each([
    ['of another type', { 'Content-Type': 'application/json' }, '{}', 415],
    ['that is too long', { 'Content-Type': form }, `number=${'4'.repeat(17_000)}`, 413],
    ['with too many fields', { 'Content-Type': form }, 'a=1&'.repeat(100), 413],
    ['of another site', { 'Content-Type': form, 'Sec-Fetch-Site': 'cross-site' }, 'a=1', 403],
    ['of another origin', { 'Content-Type': form, Origin: 'https://evil.example' }, 'a=1', 403],
  ])('%s is refused', async (_case, headers: Record<string, string>, body, status) => {
    const { checkoutUrl } = await begin();
    const response = await fetch(checkoutUrl, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('cannot be put or deleted', async () => {
    const { checkoutUrl } = await begin();
    const response = await fetch(checkoutUrl, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

test('without a provider a page accepts no card', async () => {
  const { live } = system;
  const create = (path: string, body: object): Promise<any> =>
    live.expect(201, live.post(path, body));
  const { id: customerId } = await create('/customers', { email: 'a@b.co' });
  const { id: productId } = await create('/products', usd);
  const { checkoutUrl } = await create('/checkout', { customerId, productId });
  const page = await payer.open(checkoutUrl);
  expect([page.status, page.root.querySelector('form')]).toEqual([200, null]);
  expect(page.text).toContain('Card payments are not available');
});

// Last, after all the cards above were typed.
test('no log contains a card number, or a token of a page', async () => {
  const { checkoutUrl } = await begin();
  await payer.submit(await payer.open(checkoutUrl), card(declined));
  const token = checkoutUrl.split('/').at(-1);
  const names = await readdir(system.logDir);
  expect(names).toEqual(expect.arrayContaining(['gateway.log', 'checkout.log']));
  for (const name of names) {
    const log = await readFile(join(system.logDir, name), 'utf8');
    for (const secret of ['4242424242424242', declined, securedOnce, '4111111111111111', token]) {
      expect(log).not.toContain(secret);
    }
  }
});
