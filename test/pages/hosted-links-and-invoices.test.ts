import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { card, Payer } from '../support/payer';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { Visitor } from '../support/visitor';

const successUrl = 'https://shop.example/thanks?session={SESSION_ID}';
const declined = '4000000000000002';
const securedOnce = '4000002500003155';
const usd = { ...product, currency: 'usd' };

let system: OwnTestSystem;
let api: ApiClient;
let payer: Payer;

beforeAll(async () => {
  // Each test sets the client address of its requests.
  system = await startTestSystem({ ownProcess: true, gateway: { TRUSTED_PROXIES: 'loopback' } });
  api = system.sandbox;
  payer = new Payer(system.gatewayUrl);
});

afterAll(async () => {
  await system.stop();
});

const create = (path: string, body: object): Promise<any> => api.expect(201, api.post(path, body));

async function sessionOf({ sessionId }: any): Promise<any> {
  return api.expect(200, api.get(`/checkout/${sessionId}`));
}

describe('the page of a link', () => {
  async function link(more: object = {}): Promise<any> {
    const products = [
      await create('/products', { ...usd, name: 'Solo' }),
      await create('/products', { ...usd, name: 'Team', amount: 9900 }),
    ];
    const productIds = products.map(({ id }) => id);
    return {
      ...(await create('/checkout-links', { label: 'Plans', productIds, ...more })),
      products,
    };
  }

  test('lets a visitor choose, and creates a customer and a session', async () => {
    const { url, id, products } = await link({ successUrl });
    const page = await payer.open(url);
    expect(page.text).toContain('Solo $29.00 every month');
    expect(page.root.querySelector('[autocomplete=email]')).not.toBeNull();
    const team = products[1].id;
    const session = await payer.submit(page, { email: ' eve@example.com ', productId: team });
    expect(session.text).toContain('$99.00 due today');
    const paid = await payer.submit(session, card());
    const sessionId = new URL(paid.left ?? '').searchParams.get('session');
    expect(await sessionOf({ sessionId })).toMatchObject({
      status: 'COMPLETE',
      checkoutLinkId: id,
      productId: team,
      customer: { email: 'eve@example.com' },
    });
  });

  test('creates a new customer even for a known email address', async () => {
    const { url } = await link();
    const email = 'twice@example.com';
    await payer.submit(await payer.open(url), { email });
    await payer.submit(await payer.open(url), { email });
    const known = await api.all(`/customers?email=${email}`);
    expect(known).toHaveLength(2);
  });

  test('the same form sent again, even concurrently, leads to the same session', async () => {
    const { url } = await link();
    const email = 'double@example.com';
    const page = await payer.open(url);
    const sent = await Promise.all(Array.from({ length: 5 }, () => payer.submit(page, { email })));
    const later = await payer.submit(page, { email });
    expect(new Set([...sent, later].map((one) => one.url)).size).toBe(1);
    expect(await api.all(`/customers?email=${email}`)).toHaveLength(1);
    const other = await payer.submit(page, { email: 'corrected@example.com' });
    expect(other.url).not.toBe(later.url);
  });

  test.each(['', 'nonsense'])('refuses %j as an address, and keeps the choice', async (email) => {
    const { url, products } = await link();
    const page = await payer.submit(await payer.open(url), { email, productId: products[1].id });
    expect(page.status).toBe(400);
    expect(page.root.querySelector('#email')?.getAttribute('aria-invalid')).toBe('true');
    const chosen = page.root.querySelectorAll('input[type=radio]').map((one) => ({
      value: one.getAttribute('value'),
      isChosen: one.getAttribute('checked') !== undefined,
    }));
    expect(chosen.find(({ isChosen }) => isChosen)?.value).toBe(products[1].id);
  });

  test('sells the quantity that a visitor chooses, and charges what it shows', async () => {
    const tiers = [
      { upTo: '10', unitAmount: '500' },
      { upTo: null, unitAmount: '400', flatAmount: '1000' },
    ];
    const seats = await create('/products', { ...usd, name: 'Seats', type: 'TIERED', tiers });
    const { url, quantity, collect } = await create('/checkout-links', {
      ...{ label: 'Team', productIds: [seats.id], successUrl },
      ...{ quantity: { min: 2, max: 50 }, collect: ['ADDRESS', 'NAME', 'NAME'] },
    });
    expect([quantity, collect]).toEqual([{ min: 2, max: 50 }, ['NAME', 'ADDRESS']]);
    const page = await payer.open(url);
    expect(page.text).toContain('2 for $10.00 every month');
    const typed = { quantity: '20', email: 'ada@example.com', name: 'Ada Lovelace' };
    const prices = page.root.querySelector('#prices')?.getAttribute('formaction') ?? '';
    const priced = await payer.post(new URL(prices, url).href, {
      ...{ ...typed, productId: seats.id },
    });
    expect(priced.text).toContain('20 for $100.00 every month');
    expect(priced.root.querySelector('#email')?.getAttribute('value')).toBe('ada@example.com');

    const wrong = await payer.submit(priced, { ...typed, quantity: '51' });
    expect([wrong.status, wrong.text.includes('Must be a whole number from 2 to 50')]).toEqual([
      400,
      true,
    ]);
    const refused = await payer.submit(wrong, { ...typed, city: 'Zürich' });
    const fields = ['line1', 'city', 'country', 'name', 'quantity'];
    const isWrong = (name: string) =>
      refused.root.querySelector(`#${name}`)?.getAttribute('aria-invalid') === 'true';
    expect(fields.filter(isWrong)).toEqual(['line1', 'country']);
    expect(await api.all('/customers?email=ada@example.com')).toEqual([]);

    const address = { line1: 'Bahnhofstrasse 1', country: 'Switzerland' };
    const session = await payer.submit(refused, address);
    expect(session.text).toContain('$100.00 due today');
    const paid = await payer.submit(session, card());
    const sessionId = new URL(paid.left ?? '').searchParams.get('session');
    expect(await sessionOf({ sessionId })).toMatchObject({
      status: 'COMPLETE',
      quantity: 20,
      invoice: { status: 'PAID', amountPaid: 10_000 },
      customer: {
        ...{ email: 'ada@example.com', name: 'Ada Lovelace' },
        address: { line1: 'Bahnhofstrasse 1', city: 'Zürich', country: 'CH' },
      },
    });
  });

  test('sells only its own products', async () => {
    const { url } = await link();
    const { id: productId } = await create('/products', usd);
    const email = 'a@b.co';
    const page = await payer.submit(await payer.open(url), { email, productId });
    expect(page.status).toBe(400);
    const choice = page.root.querySelector('fieldset');
    const error = choice?.querySelector('.error');
    expect([error?.text, error?.id]).toEqual([
      'Required',
      choice?.getAttribute('aria-describedby'),
    ]);
  });

  test('is gone when none of its products is sold any more, and shows those that are', async () => {
    const { url, products } = await link();
    const [solo, team] = products;
    const retire = ({ id }: any) =>
      api.expect(200, api.request('PATCH', `/products/${id}`, { body: { active: false } }));
    await retire(solo);
    const page = await payer.open(url);
    expect([page.text.includes('Solo'), page.text.includes('Team')]).toEqual([false, true]);
    await retire(team);
    expect((await payer.submit(page, { email: 'a@b.co' })).status).toBe(410);
  });

  test('sells at the full price and shows it once its discount is inactive', async () => {
    const terms = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const discount = await create('/discounts', terms);
    const { url } = await link({ discountId: discount.id });
    const page = await payer.open(url);
    expect(page.text).toContain('The discount is applied on the next page');
    await api.expect(
      200,
      api.request('PATCH', `/discounts/${discount.id}`, { body: { active: false } }),
    );
    const sent = await payer.submit(page, { email: 'a@b.co' });
    expect(sent.status).toBe(200);
    expect(sent.text).toContain('You pay the full price');
    const opened = await payer.open(url);
    expect([opened.status, opened.text.includes('You pay the full price')]).toEqual([200, true]);
  });

  test('reserves the redemption of a visitor who does not pay for 30 minutes', async () => {
    const sandbox = await system.live.manualSandbox('2026-01-01T00:00:00.000Z');
    const half = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const bought = await sandbox.expect(201, sandbox.post('/products', usd));
    const limited = { ...half, maxRedemptions: 1 };
    const { id: discountId } = await sandbox.expect(201, sandbox.post('/discounts', limited));
    const offer = { label: 'Half', productIds: [bought.id], discountId };
    const { url } = await sandbox.expect(201, sandbox.post('/checkout-links', offer));
    const page = await payer.open(url);
    const first = await payer.submit(page, { email: 'first@example.com' });
    expect(first.text).toContain('$14.50 due today');

    const second = await payer.submit(await payer.open(url), { email: 'second@example.com' });
    expect(second.text).toContain('You pay the full price');
    expect(second.text).toContain('$29.00 due today');

    await sandbox.advanceTo('2026-01-01T00:31:00.000Z');
    const third = await payer.submit(await payer.open(url), { email: 'third@example.com' });
    expect(third.text).toContain('$14.50 due today');
    expect((await payer.open(second.url)).status).toBe(200);
    expect((await payer.open(first.url)).status).toBe(410);
  });

  test('leads the same form to its session again, when that session used the last redemption', async () => {
    const half = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await create('/discounts', { ...half, maxRedemptions: 1 });
    const { url } = await link({ discountId });
    const email = 'last@example.com';
    const page = await payer.open(url);
    const sent = await Promise.all(Array.from({ length: 4 }, () => payer.submit(page, { email })));
    const later = await payer.submit(page, { email });
    expect(later.text).toContain('$14.50 due today');
    expect(new Set([...sent, later].map((one) => one.url)).size).toBe(1);
    expect(await api.all(`/customers?email=${email}`)).toHaveLength(1);
    const another = await payer.submit(page, { email: 'another@example.com' });
    expect([another.status, another.text.includes('You pay the full price')]).toEqual([200, true]);
  });

  /** A link whose discount can be redeemed once, and separate browsers as visitors. */
  async function scarceLink() {
    const half = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await create('/discounts', { ...half, maxRedemptions: 1 });
    const { url } = await link({ discountId });
    const order = async (visitor: Visitor, email: string) =>
      visitor.submit(await visitor.open(url), { email });
    return { url, order, visitor: () => new Visitor(system.gatewayUrl) };
  }

  test('a visitor who orders again holds one redemption: the earlier session ends', async () => {
    const { url, order, visitor } = await scarceLink();
    const ada = visitor();
    const first = await order(ada, 'ada@exampel.com');
    expect(first.text).toContain('$14.50 due today');
    expect(ada.lastCookies).toEqual([
      expect.stringMatching(
        /^visitor=[\w.-]+; Path=\/link\/[\w-]+; Max-Age=1800; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    // An order waits two seconds for the end of the earlier session.
    const { page, second } = await eventually(async () => {
      const form = await ada.open(url);
      const ordered = await ada.submit(form, { email: 'ada@example.com' });
      expect(ordered.text).toContain('$14.50 due today');
      return { page: form, second: ordered };
    });
    expect((await ada.open(first.url)).status).toBe(410);
    const again = await ada.submit(page, { email: 'ada@example.com' });
    expect([again.url, again.status]).toEqual([second.url, 200]);

    const another = await order(visitor(), 'bob@example.com');
    expect(another.text).toContain('You pay the full price');
    expect((await ada.open(second.url)).text).toContain('$14.50 due today');
  });

  test('a visitor who has paid and orders again keeps the purchase', async () => {
    const { order, visitor } = await scarceLink();
    const ada = visitor();
    const first = await order(ada, 'ada@example.com');
    expect((await ada.submit(first, card())).text).toContain('Thank you');
    expect((await order(ada, 'ada@example.com')).text).toContain('You pay the full price');
    expect((await ada.open(first.url)).text).toContain('Thank you');
  });

  test('a visitor with the cookie of another link, or a false one, ends no session', async () => {
    const [here, elsewhere] = [await scarceLink(), await scarceLink()];
    const ada = here.visitor();
    const first = await here.order(ada, 'ada@example.com');
    const cookie = ada.cookies.get('visitor') ?? '';
    await elsewhere.order(ada, 'ada@example.com');

    const mallory = here.visitor();
    mallory.cookies.set('visitor', `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`);
    const sent = await here.order(mallory, 'mallory@example.com');
    expect(sent.text).toContain('You pay the full price');
    expect((await ada.open(first.url)).text).toContain('$14.50 due today');
  });

  test.each(['link', 'product'])(
    'leads the same form to its session again, when the %s is withdrawn in between',
    async (gone) => {
      const offer = await link();
      const email = `${gone}@example.com`;
      const page = await payer.open(offer.url);
      const first = await payer.submit(page, { email });
      const path =
        gone === 'link' ? `/checkout-links/${offer.id}` : `/products/${offer.products[0].id}`;
      await api.expect(200, api.request('PATCH', path, { body: { active: false } }));
      const again = await payer.submit(page, { email });
      expect(again.url).toBe(first.url);
    },
  );

  test('sells products outside its discount at the full price', async () => {
    const half = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const [reduced, full] = [await create('/products', usd), await create('/products', usd)];
    const { id: discountId } = await create('/discounts', { ...half, productIds: [reduced.id] });
    const productIds = [full.id, reduced.id];
    const { url } = await create('/checkout-links', { label: 'Half', productIds, discountId });
    const page = await payer.open(url);
    const values = page.root
      .querySelectorAll('input[type=radio]')
      .map((one) => one.attributes.value);
    expect(values).toEqual([full.id, reduced.id]);
    expect(page.text).toContain('You pay the full price for everything else');
  });

  test('is gone when the link is inactive', async () => {
    const { url } = await link({ active: false });
    const page = await payer.open(url);
    expect([page.status, page.root.querySelector('form')]).toEqual([410, null]);
    expect((await payer.post(url, { email: 'a@b.co' })).status).toBe(410);
  });
});

describe('the page of an invoice', () => {
  /** Creates an invoice of a new customer without a payment method. */
  async function openInvoice(): Promise<any> {
    const { id: customerId } = await create('/customers', { email: 'a@b.co', name: 'Ada' });
    const { id: productId } = await create('/products', usd);
    const { latestInvoiceId } = await create('/subscriptions', { customerId, productId });
    return api.expect(200, api.get(`/invoices/${latestInvoiceId}`));
  }

  const read = ({ id }: any): Promise<any> => api.expect(200, api.get(`/invoices/${id}`));

  test('shows it and accepts a card', async () => {
    const invoice = await openInvoice();
    const page = await payer.open(invoice.hostedUrl);
    for (const text of [invoice.number, 'Ada', '$29.00', 'Open']) expect(page.text).toContain(text);
    const refused = await payer.submit(page, card(declined));
    expect(refused.text).toContain('Your card was declined');
    const paid = await payer.submit(refused, card());
    expect(paid.text).toContain('Thank you. This invoice is paid.');
    expect(await read(invoice)).toMatchObject({ status: 'PAID', amountPaid: 2900 });
  });

  test('reports under the name of the card that it is too long', async () => {
    const invoice = await openInvoice();
    const typed = { ...card(), 'cc-name': 'x'.repeat(201) };
    const page = await payer.submit(await payer.open(invoice.hostedUrl), typed);
    expect(page.status).toBe(400);
    expect(page.root.querySelector('#name-error')?.text).toBe('Must be at most 200 characters');
  });

  test('asks for 3-D Secure by one more form', async () => {
    const invoice = await openInvoice();
    const asked = await payer.submit(await payer.open(invoice.hostedUrl), card(securedOnce));
    expect((await read(invoice)).payments.at(-1)).toMatchObject({ status: 'REQUIRES_ACTION' });
    const paid = await payer.submit(asked, {}, { button: 'Approve' });
    expect(paid.text).toContain('This invoice is paid');
  });

  test('still accepts a card after 100 failed payments, and drops the oldest from the list', async () => {
    const invoice = await openInvoice();
    const fail = () => api.expect(200, api.post(`/invoices/${invoice.id}/pay`, {}));
    const first = (await fail()).payments[0];
    for (let turn = 0; turn < 100; turn += 1) await fail();
    const { payments } = await read(invoice);
    expect(payments).toHaveLength(100);
    expect(payments.map(({ id }: any) => id)).not.toContain(first.id);

    const paid = await payer.submit(await payer.open(invoice.hostedUrl), card());
    expect(paid.text).toContain('This invoice is paid');
    expect((await read(invoice)).payments.at(-1)).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('refuses an address after ten refused cards, and accepts a card from another one', async () => {
    const invoice = await openInvoice();
    const page = await payer.open(invoice.hostedUrl);
    const payFrom = (address: string, number?: string) =>
      payer.submit(page, card(number), { headers: { 'X-Forwarded-For': address } });
    for (let turn = 0; turn < 10; turn += 1) {
      expect((await payFrom('192.0.2.1', declined)).text).toContain('Your card was declined');
    }
    const refused = await payFrom('192.0.2.1');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await read(invoice)).toMatchObject({ status: 'OPEN' });

    const paid = await payFrom('192.0.2.2');
    expect(paid.text).toContain('This invoice is paid');
  });

  test('serves the PDF to everyone who has its address', async () => {
    const { hostedUrl } = await openInvoice();
    const pdf = await fetch(`${hostedUrl}/pdf`);
    const bytes = Buffer.from(await pdf.arrayBuffer());
    expect([pdf.status, bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
  });

  test('asks for nothing when nothing is owed', async () => {
    const invoice = await openInvoice();
    const before = await payer.open(invoice.hostedUrl);
    await api.expect(200, api.post(`/invoices/${invoice.id}/void`));
    const page = await payer.submit(before, card());
    expect([page.status, page.root.querySelector('form')]).toEqual([200, null]);
    expect(page.text).toContain('This invoice was voided');
    expect(page.text).toContain('Total $29.00 Not paid −$29.00 Amount due $0.00');
  });
});

test('the page of a session refuses an address after ten refused cards, and accepts a card from another one', async () => {
  const { id: customerId } = await create('/customers', { email: 'a@b.co' });
  const { id: productId } = await create('/products', usd);
  const { checkoutUrl } = await create('/checkout', { customerId, productId });
  const page = await payer.open(checkoutUrl);
  const payFrom = (address: string, number?: string) =>
    payer.submit(page, card(number), { headers: { 'X-Forwarded-For': address } });
  for (let turn = 0; turn < 10; turn += 1) {
    expect((await payFrom('192.0.2.1', declined)).text).toContain('Your card was declined');
  }
  const refused = await payFrom('192.0.2.1');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect((await payFrom('192.0.2.2')).text).toContain('Thank you');
});

test('texts of others are escaped', async () => {
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&amp;';
  const { id: customerId } = await create('/customers', { email: 'a@b.co', name: hostile });
  const terms = { ...usd, name: hostile, description: hostile };
  const { id: productId } = await create('/products', terms);
  const { checkoutUrl } = await create('/checkout', { customerId, productId });
  const { url } = await create('/checkout-links', { label: hostile, productIds: [productId] });
  const { latestInvoiceId } = await create('/subscriptions', { customerId, productId });
  const { hostedUrl } = await api.expect(200, api.get(`/invoices/${latestInvoiceId}`));
  for (const address of [checkoutUrl, url, hostedUrl]) {
    const page = await payer.open(address);
    expect(page.status).toBe(200);
    expect(page.root.querySelectorAll('script:not([src^="/pages/payer-"]), img')).toEqual([]);
    expect(page.root.textContent).toContain(hostile);
  }
});
