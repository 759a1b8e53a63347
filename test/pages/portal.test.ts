import { card } from '../support/payer';
import { authorization, numbers, PortalScene, usd } from '../support/portal-scene';
import { joinTestSystem } from '../support/shared-system';
import { readForm, type VisitorPage } from '../support/visitor';

const startMs = 600_000;
const manyMs = 600_000;

let scene: PortalScene;

beforeAll(async () => {
  scene = await PortalScene.begin(await joinTestSystem());
}, startMs);

describe('the overview', () => {
  test('shows the next charge as on its future invoice, with quantity and discount', async () => {
    const customerId = await scene.customer();
    const terms = { name: 'Welcome', type: 'PERCENTAGE', value: 33.33, duration: 'FOREVER' };
    const { id: discountId } = await scene.create('/discounts', terms);
    const plan = { name: 'Seats', type: 'PER_UNIT', amount: 999 };
    const { id } = await scene.subscribe(customerId, { plan, input: { quantity: 7, discountId } });
    const { page } = await scene.enter(customerId);
    for (const text of [
      'Ada',
      'Active Seats 7 × $9.99 every month',
      'Next charge $46.62 on February 28, 2026',
    ]) {
      expect(page.text).toContain(text);
    }
    expect(page.text).toContain('Welcome: $23.31 off');
    expect(page.text).toContain('Visa ending in 4242 is charged.');
    await scene.api.advanceTo('2026-02-28T00:00:00.000Z');
    const { data } = await scene.read(`/invoices?subscriptionId=${String(id)}`);
    expect(data[0]).toMatchObject({ billingReason: 'SUBSCRIPTION_CYCLE', total: 4662 });
  });

  test('shows the usage so far, as an estimate', async () => {
    const customerId = await scene.customer();
    const { id: productId } = await scene.create('/products', usd);
    const meter = { name: 'API calls', unit: 'calls' };
    const price = { unitAmount: '2.5', includedUnits: 1000 };
    const meterId = await scene.price(productId, meter, price);
    const authorizedTransactionId = authorization();
    await scene.create('/subscriptions', { customerId, productId, authorizedTransactionId });
    await scene.create(`/customers/${customerId}/meter-credits`, { meterId, amount: 500 });
    const { visitor, page } = await scene.enter(customerId);
    expect(page.text).toContain('Usage so far about $0.00');
    const used = { customerId, meterId, quantity: 1750 };
    await scene.create('/events/ingest', { events: [used] });
    expect((await visitor.open('/portal')).text).toContain('Usage so far about $6.25 Estimate');
    const usage = await visitor.open('/portal/usage');
    expect(usage.text).toContain('1,750 of 1,000 calls included');
    expect(usage.text).toContain('Prepaid credits: 0 of 500 calls left');
    expect(usage.text).toContain('Additional usage: 250 calls, about $6.25 so far');
    expect(usage.root.querySelector('progress')?.attributes).toMatchObject({
      max: '1000',
      value: '1750',
    });
  });

  test('shows that a discount will apply to usage too', async () => {
    const customerId = await scene.customer();
    const terms = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'FOREVER' };
    const { id: discountId } = await scene.create('/discounts', terms);
    const { id: productId } = await scene.create('/products', usd);
    const meterId = await scene.price(productId, { name: 'Calls' }, { unitAmount: '10' });
    const authorizedTransactionId = authorization();
    const input = { customerId, productId, discountId, authorizedTransactionId };
    const { id } = await scene.create('/subscriptions', input);
    await scene.create('/events/ingest', { events: [{ customerId, meterId, quantity: 100 }] });
    const { page } = await scene.enter(customerId);
    expect(page.text).toContain('Next charge $14.50');
    expect(page.text).toContain('Usage so far about $10.00 Estimate before discounts');
    const { now } = await scene.read('/sandboxes/clock');
    await scene.api.advanceTo(new Date(Date.parse(now as string) + 31 * 86_400_000).toISOString());
    const { data } = await scene.read(`/invoices?subscriptionId=${String(id)}`);
    expect(data[0]).toMatchObject({ billingReason: 'SUBSCRIPTION_CYCLE', total: 1950 });
  });

  test('names the card of a subscription that is not charged to the default', async () => {
    const customerId = await scene.customer();
    await scene.subscribe(customerId, { plan: { name: 'Solo' } });
    const plan = { name: 'Team', trialDays: 7 };
    await scene.subscribe(customerId, { plan, cardNumber: numbers.other });
    const { visitor, page } = await scene.enter(customerId);
    const cards = page.root.querySelectorAll('section').map(({ text }) => text);
    const cardOf = (name: string) => cards.find((text) => text.includes(name)) ?? '';
    expect(cardOf('Team')).toContain('Charged to Mastercard ending in 4444.');
    expect(cardOf('Solo')).not.toContain('Charged to');
    expect(page.text).toContain(
      'Visa ending in 4242 is charged, except for subscriptions that show another card.',
    );
    const paid = await visitor.open('/portal/payment-methods');
    expect(paid.text).toContain('Visa ending in 4242 Default');
  });

  test('links to overdue invoices, and paying them ends that', async () => {
    const customerId = await scene.customer();
    const { id } = await scene.subscribe(customerId, { cardNumber: numbers.declined });
    const { visitor, page } = await scene.enter(customerId);
    expect(page.text).toContain('Past due');
    expect(page.text).toContain('A payment is overdue');
    const link = page.root.querySelector('.problem a.button')?.attributes.href ?? '';
    const invoice = await visitor.open(link);
    expect(invoice.text).toContain('The last payment failed');
    expect(invoice.text).toContain('Your card was declined.');
    const refused = await visitor.submit(
      invoice,
      card(numbers.declined),
      'Pay $29.00 with this card',
    );
    expect(refused.status).toBe(200);
    const paid = await visitor.submit(refused, card(), 'Pay $29.00 with this card');
    expect(paid.text).toContain('This invoice is paid');
    await scene.untilIdle();
    expect((await visitor.open('/portal')).text).toContain('Active');
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('canceling a subscription', () => {
  const usageIsBilled = 'Usage beyond what is included is still billed.';

  test('asks for confirmation, takes effect at period end, and can be undone', async () => {
    const customerId = await scene.customer();
    const { id } = await scene.subscribe(customerId, { plan: { name: 'Pro' } });
    const { visitor, page } = await scene.enter(customerId);
    const link = page.root.querySelector('a[href$="/cancel"]')?.attributes.href ?? '';
    const asked = await visitor.open(link);
    expect(asked.text).toContain('Cancel Pro?');
    expect(asked.text).not.toContain(usageIsBilled);
    const canceled = await visitor.submit(asked);
    expect(canceled.text).toContain('Your subscription will end when the current period ends.');
    expect(canceled.text).toContain('and does not renew');
    expect(canceled.text).not.toContain('Next charge');
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({
      cancelAtPeriodEnd: true,
      cancelReason: 'REQUESTED',
    });
    expect(new URL((await visitor.open(link)).url).pathname).toBe('/portal');
    const kept = await visitor.submit(canceled, {}, 'Keep subscription');
    expect(kept.text).toContain('Your subscription will renew as usual.');
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({
      cancelAtPeriodEnd: false,
    });
  });

  test('before the start ends the subscription immediately, and nothing is charged', async () => {
    const customerId = await scene.customer();
    const { now } = await scene.read('/sandboxes/clock');
    const startAt = new Date(Date.parse(now as string) + 10 * 86_400_000).toISOString();
    const { id } = await scene.subscribe(customerId, { input: { startAt } });
    const { visitor } = await scene.enter(customerId);
    const asked = await visitor.open(`/portal/subscriptions/${String(id)}/cancel`);
    expect(asked.text).toContain('you are charged nothing');
    const canceled = await visitor.submit(asked);
    expect(canceled.text).toContain('Your subscription is canceled. You are charged nothing.');
    expect(canceled.text).not.toContain('Next charge');
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({ status: 'CANCELED' });
    await scene.api.advanceTo(startAt);
    expect(await scene.read(`/invoices?subscriptionId=${String(id)}`)).toMatchObject({ data: [] });
  });

  test('shows that usage until the end is billed', async () => {
    const customerId = await scene.customer();
    const { id: productId } = await scene.create('/products', usd);
    const meterId = await scene.price(productId, { name: 'Minutes' }, { unitAmount: '10' });
    const authorizedTransactionId = authorization();
    const input = { customerId, productId, authorizedTransactionId };
    const { id } = await scene.create('/subscriptions', input);
    const { visitor } = await scene.enter(customerId);
    const asked = await visitor.open(`/portal/subscriptions/${String(id)}/cancel`);
    expect(asked.text).toContain(usageIsBilled);
    await visitor.submit(asked);
    expect((await visitor.open('/portal')).text).not.toContain('Usage so far');
    await scene.create('/events/ingest', { events: [{ customerId, meterId, quantity: 90 }] });
    expect((await visitor.open('/portal')).text).toContain(
      'Usage so far about $9.00 Estimate. Billed when the subscription ends.',
    );
  });

  test('does not change a subscription that has ended in between', async () => {
    const customerId = await scene.customer();
    const { id } = await scene.subscribe(customerId, { plan: { name: 'Gone' } });
    const { visitor } = await scene.enter(customerId);
    const { fields } = readForm(await visitor.open(`/portal/subscriptions/${String(id)}/cancel`));
    await scene.api.expect(200, scene.api.post(`/subscriptions/${String(id)}/cancel`));
    const late = await visitor.post(`/portal/subscriptions/${String(id)}/keep`, fields);
    expect([late.status, late.text]).toEqual([200, expect.stringContaining('Ended Gone')]);
    const tooLate = await visitor.post(`/portal/subscriptions/${String(id)}/cancel`, fields);
    expect(tooLate.text).toContain('Ended Gone');
    expect(tooLate.text).not.toContain('Your subscription will end');
  });
});

describe('invoices', () => {
  test(
    'are listed by pages, shown, and served as PDF',
    async () => {
      const customerId = await scene.customer();
      for (let made = 0; made < 21; made += 1) await scene.subscribe(customerId);
      const { visitor } = await scene.enter(customerId);
      const first = await visitor.open('/portal/invoices');
      expect(first.root.querySelectorAll('tbody tr')).toHaveLength(20);
      expect(first.text).toContain('Page 1 of 2');
      const second = await visitor.open(first.root.querySelector('a[rel=next]')!.attributes.href!);
      expect(second.root.querySelectorAll('tbody tr')).toHaveLength(1);
      const link = second.root.querySelector('tbody a')?.attributes.href ?? '';
      expect(link).toMatch(/^\/portal\/invoices\/[0-9a-f-]{36}$/);
      expect((await visitor.open(link)).text).toContain('This invoice is paid');
      const inList = second.root.querySelector('tbody a[href$="/pdf"]')?.attributes.href ?? '';
      expect(inList).toBe(`${link}/pdf`);
      const pdf = await visitor.open(inList);
      expect([pdf.status, pdf.bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
      expect((await visitor.open('/portal/invoices?page=99')).url).toContain('page=2');
    },
    manyMs,
  );

  test('are paid with a saved card, or with another one that asks for 3-D Secure', async () => {
    const customerId = await scene.customer({ collectionMethod: 'SEND_INVOICE' });
    const unpaid = () => scene.subscribe(customerId, { cardNumber: null });
    const [one, two] = [await unpaid(), await unpaid()];
    const { visitor, page } = await scene.enter(customerId);
    expect(page.text).toContain('Open invoices');
    expect(page.text).toContain('Invoices are sent to you.');
    const path = (subscription: any) => `/portal/invoices/${String(subscription.latestInvoiceId)}`;
    const asked = await visitor.submit(await visitor.open(path(one)), card(numbers.securedOnce));
    expect(asked.text).toContain('Confirm your payment');
    const paid = await visitor.submit(asked, {}, 'Approve');
    expect(paid.text).toContain('This invoice is paid');
    // The card becomes the customer's by a command of the payment.
    await scene.untilIdle();
    const saved = await visitor.open(path(two));
    expect(saved.text).toContain('Visa ending in 3155');
    const paidToo = await visitor.submit(saved, {}, 'Pay $29.00');
    expect(paidToo.text).toContain('This invoice is paid');
    for (const { latestInvoiceId } of [one, two]) {
      expect(await scene.read(`/invoices/${String(latestInvoiceId)}`)).toMatchObject({
        status: 'PAID',
      });
    }
  });

  test('list their credit notes, whose money is on the balance or refunded', async () => {
    const customerId = await scene.customer();
    const { latestInvoiceId: invoiceId } = await scene.subscribe(customerId);
    const body = { invoiceId, reason: 'SERVICE', memo: 'Sorry' };
    const [kept, returned] = [
      await scene.create('/credit-notes', { ...body, amount: 1_000 }),
      await scene.create('/credit-notes', { ...body, amount: 500, settle: 'REFUND' }),
    ];
    const { visitor, page } = await scene.enter(customerId);
    expect(page.text).toContain('Your balance is $10.00.');
    const path = `/portal/invoices/${String(invoiceId)}`;
    const invoice = await visitor.open(path);
    expect(invoice.text).toContain('Sorry Added to your balance: $10.00 −$10.00');
    expect(invoice.text).toContain('Sorry Refunded to your card: $5.00 −$5.00');
    for (const { number } of [kept, returned]) {
      const shown = await visitor.open(linked(invoice, String(number)));
      expect(shown.text).toContain(`Credit note ${String(number)}`);
      const pdf = await visitor.open(linked(shown, 'Download as PDF'));
      expect([pdf.status, pdf.bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
      expect(linked(invoice, `PDF of ${String(number)}`)).toBe(linked(shown, 'Download as PDF'));
    }
    const { hostedUrl } = await scene.read(`/invoices/${String(invoiceId)}`);
    const stranger = await scene.enter(await scene.customer());
    const { latestInvoiceId: other } = await scene.subscribe(customerId);
    for (const step of [
      `/credit-notes/${String(kept.id)}`,
      `/credit-notes/${String(kept.id)}/pdf`,
    ]) {
      expect((await fetch(`${String(hostedUrl)}${step}`)).status).toBe(200);
      expect((await stranger.visitor.open(`${path}${step}`)).status).toBe(404);
      // A credit note of another invoice is not served.
      const foreign = await visitor.open(`/portal/invoices/${String(other)}${step}`);
      expect(foreign.status).toBe(404);
    }
  });

  test('of an incomplete purchase lead to its page', async () => {
    const customerId = await scene.customer();
    const { id: productId } = await scene.create('/products', usd);
    const { invoice, checkoutUrl } = await scene.create('/checkout', { customerId, productId });
    const { visitor, page } = await scene.enter(customerId);
    expect(page.text).not.toContain('Open invoices');
    const shown = await visitor.open(`/portal/invoices/${String(invoice.id)}`);
    const link = shown.root.querySelector('a.button')?.attributes.href;
    expect([shown.root.querySelector('main form'), link]).toEqual([null, checkoutUrl]);
  });
});

/** Address of a link by its text. */
function linked({ root }: VisitorPage, text: string): string {
  const found = root.querySelectorAll('a').find(({ textContent }) => textContent === text);
  return found?.attributes.href ?? '';
}

describe('contact details', () => {
  const details = '/portal/details';

  test('are changed, and cleared', async () => {
    const customerId = await scene.customer({ phone: '1', metadata: { kept: true } });
    const { visitor } = await scene.enter(customerId);
    const typed = { name: 'Ada King', email: ' king@example.com ', 'address-level2': 'Zürich' };
    const saved = await visitor.submit(await visitor.open(details), {
      ...typed,
      country: 'CH',
      tel: '',
    });
    expect(saved.text).toContain('Your details were saved.');
    expect(await scene.read(`/customers/${customerId}`)).toMatchObject({
      name: 'Ada King',
      email: 'king@example.com',
      phone: null,
      address: { city: 'Zürich', country: 'CH', line1: null },
      metadata: { kept: true },
      collectionMethod: 'CHARGE_AUTOMATICALLY',
    });
    expect(saved.root.querySelector('#city')?.attributes.value).toBe('Zürich');
  });

  test('have tax ids, which are added, kept and taken away', async () => {
    const taxIds = [{ type: 'OTHER', value: 'A1' }];
    const customerId = await scene.customer({ taxIds, address: { country: 'DE' } });
    const idsNow = async () => (await scene.read(`/customers/${customerId}`)).taxIds;
    const { visitor } = await scene.enter(customerId);
    const added = { type: 'EU_VAT', value: 'DE136695976' };
    const twice = await visitor.submit(await visitor.open(details), { taxId2: 'de 136 695 976' });
    expect(twice.text).toContain('Your details were saved.');
    expect(await idsNow()).toEqual([...taxIds, added]);

    const wrong = await visitor.submit(twice, { taxId3: 'DE123' });
    expect(wrong.status).toBe(400);
    expect(wrong.root.querySelector('#taxId3-error')?.text).toBe('Invalid VAT or tax id');
    expect(await idsNow()).toEqual([...taxIds, added]);

    await visitor.submit(await visitor.open(details), { taxId: '' });
    expect(await idsNow()).toEqual([added]);

    // As a page that was opened at an earlier release sends it.
    const { fields } = readForm(await visitor.open(details), { name: 'Ada King' }, 'Save');
    const known = Object.entries(fields).filter(([name]) => !name.startsWith('taxId'));
    await visitor.post(details, Object.fromEntries(known));
    expect(await idsNow()).toEqual([added]);
  });

  test('that are invalid are reported at their fields, and kept as typed', async () => {
    const customerId = await scene.customer();
    const { visitor } = await scene.enter(customerId);
    const page = await visitor.submit(await visitor.open(details), {
      email: 'nonsense',
      country: 'XX',
      name: 'Kept',
      locale: 'xx',
    });
    expect(page.status).toBe(400);
    for (const name of ['email', 'country', 'locale']) {
      expect(page.root.querySelector(`#${name}`)?.attributes['aria-invalid']).toBe('true');
      expect(page.root.querySelector(`#${name}-error`)).not.toBeNull();
    }
    expect(page.root.querySelector('#name')?.attributes.value).toBe('Kept');
  });
});

test('texts of others are escaped on every page', async () => {
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&amp;';
  const customerId = await scene.customer({
    name: hostile,
    metadata: { a: hostile },
    phone: hostile.slice(0, 40),
  });
  const terms = { name: hostile, type: 'PERCENTAGE', value: 10, duration: 'FOREVER' };
  const { id: discountId } = await scene.create('/discounts', terms);
  const plan = { name: hostile, description: hostile };
  const { id: productId } = await scene.create('/products', { ...usd, ...plan });
  const meter = { name: hostile, unit: hostile.slice(0, 30) };
  const meterId = await scene.price(productId, meter, { unitAmount: '1', includedUnits: 10 });
  const authorizedTransactionId = authorization(numbers.declined);
  const input = { customerId, productId, discountId, authorizedTransactionId };
  const { id, latestInvoiceId } = await scene.create('/subscriptions', input);
  const credit = { meterId, amount: 5, name: hostile };
  await scene.create(`/customers/${customerId}/meter-credits`, credit);
  const { visitor } = await scene.enter(
    customerId,
    `https://shop.example/?x=${encodeURIComponent(hostile)}`,
  );
  for (const page of [
    '/portal',
    '/portal/usage',
    '/portal/invoices',
    `/portal/invoices/${String(latestInvoiceId)}`,
    '/portal/payment-methods',
    `/portal/subscriptions/${String(id)}/cancel`,
    '/portal/details',
    `/portal?done=${encodeURIComponent(hostile)}`,
  ]) {
    const shown = await visitor.open(page);
    expect([page, shown.status]).toEqual([page, 200]);
    expect(shown.root.querySelectorAll('script:not([src^="/pages/payer-"]), img')).toEqual([]);
    expect(shown.bytes.toString()).not.toMatch(/<script>|<img|javascript:/i);
  }
  expect((await visitor.open('/portal')).root.textContent).toContain(hostile);
});
