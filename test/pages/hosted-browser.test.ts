import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@billing/chassis/testing';
import type { Browser, Page } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import {
  desktop,
  expectAccessible,
  expectToFit,
  phone,
  takeScreenshot,
  typeCard,
  visit,
} from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { product } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;
const wide = { viewport: { width: 1440, height: 900 } };
const small = { ...phone, viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

let system: TestSystem;
let api: ApiClient;
let browser: Browser | undefined;
let shop: Server;
let shopUrl: string;

beforeAll(async () => {
  if (program === undefined) return;
  system = await joinTestSystem();
  api = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
  browser = await launchChromium(program);
  // The seller's own site, on another origin: the behavior of browsers on a redirect to it is part
  // of the test.
  shop = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<title>Shop</title><h1>Back in the shop</h1><p>${request.url ?? ''}</p>`);
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shopUrl = `http://localhost:${String((shop.address() as AddressInfo).port)}`;
}, timeoutMs);

afterAll(async () => {
  if (program === undefined) return;
  await browser?.close();
  shop.close();
});

const create = (path: string, body: object): Promise<any> => api.expect(201, api.post(path, body));

describe.each([
  ['on a desk', desktop],
  ['on a phone', phone],
  ['in the dark', { ...desktop, colorScheme: 'dark' as const }],
])('without JavaScript, %s', (place, options) => {
  const name = place.replaceAll(' ', '-');

  testInChromium(
    'from a link over a decline and 3-D Secure to a paid session, and back to the shop (needs Chromium)',
    async () => {
      const discount = await create('/discounts', {
        name: 'Launch offer',
        type: 'PERCENTAGE',
        value: 50,
        duration: 'REPEATING',
        durationInMonths: 3,
      });
      const solo = await create('/products', {
        ...product,
        name: 'Solo',
        currency: 'usd',
        description: 'For one person.\nAll features, mail support.',
      });
      const team = await create('/products', {
        ...product,
        name: 'Team',
        currency: 'usd',
        amount: 9900,
        description: 'For up to fifty people.',
      });
      const storage = await create('/meters', { name: 'Storage', unit: 'GB' });
      const calls = await create('/meters', { name: 'API calls' });
      const prices = [
        { meterId: storage.id, unitAmount: '25', includedUnits: 100, maximumAmount: 50_000 },
        {
          meterId: calls.id,
          type: 'VOLUME',
          tiers: [
            { upTo: 10_000, unitAmount: '0.5' },
            { upTo: null, unitAmount: '0.25', flatAmount: 1000 },
          ],
        },
      ];
      await api.expect(
        200,
        api.request('PATCH', `/products/${team.id as string}/meter-prices`, { body: { prices } }),
      );
      const link = await create('/checkout-links', {
        label: 'Choose your plan',
        productIds: [solo.id, team.id],
        discountId: discount.id,
        successUrl: `${shopUrl}/thanks?session={SESSION_ID}`,
        returnUrl: shopUrl,
      });
      await visit(browser!, { ...options, javaScriptEnabled: false }, async (page) => {
        await page.goto(link.url);
        await expectToFit(page);
        await takeScreenshot(page, `link-${name}`);
        await page.getByLabel('Team').check();
        await page.getByLabel('Email').fill('ada@example.com');
        await page.getByRole('button', { name: 'Continue to payment' }).click();

        await page.getByRole('heading', { name: 'Team' }).waitFor();
        await page.getByText('100 included every month, then $0.25 each').waitFor();
        await expectToFit(page);
        await takeScreenshot(page, `session-${name}`);
        await typeCard(page, '4000 0000 0000 0002');
        await page.getByRole('button', { name: 'Pay $49.50' }).click();

        await page.getByText('Your card was declined').waitFor();
        expect(await page.locator('[autocomplete=cc-number]').inputValue()).toBe('');
        await takeScreenshot(page, `declined-${name}`);
        await typeCard(page, '4000 0025 0000 3155');
        await page.getByRole('button', { name: 'Pay $49.50' }).click();

        await page.getByRole('heading', { name: 'Confirm your payment' }).waitFor();
        await takeScreenshot(page, `challenge-${name}`);
        await page.getByRole('button', { name: 'Approve' }).click();

        await page.waitForURL(`${shopUrl}/thanks?session=*`);
        const sessionId = new URL(page.url()).searchParams.get('session') ?? '';
        const session = await api.expect(200, api.get(`/checkout/${sessionId}`));
        expect(session).toMatchObject({
          status: 'COMPLETE',
          invoice: { status: 'PAID', amountPaid: 4950 },
          subscription: { status: 'ACTIVE', productId: team.id },
        });

        await page.goto(session.checkoutUrl);
        await page.getByRole('heading', { name: 'Thank you' }).waitFor();
        await takeScreenshot(page, `complete-${name}`);
      });
    },
    timeoutMs,
  );

  testInChromium(
    'an invoice is read, refused a wrong card, and paid (needs Chromium)',
    async () => {
      const { id: customerId } = await create('/customers', {
        email: 'a@b.co',
        name: 'Ada Lovelace',
      });
      const { id: productId } = await create('/products', {
        ...product,
        currency: 'usd',
        type: 'TIERED',
        name: 'Seats',
        tiers: [
          { upTo: '10', unitAmount: '500' },
          { upTo: null, unitAmount: '400', flatAmount: '1000' },
        ],
      });
      const input = { customerId, productId, quantity: 20 };
      const { latestInvoiceId } = await create('/subscriptions', input);
      const { hostedUrl } = await api.expect(200, api.get(`/invoices/${latestInvoiceId}`));
      await visit(browser!, { ...options, javaScriptEnabled: false }, async (page) => {
        await page.goto(hostedUrl);
        await page.getByText('Show calculation').click();
        await expectToFit(page);
        await takeScreenshot(page, `invoice-${name}`);
        await typeCard(page, '1234');
        await page.getByRole('button', { name: 'Pay $100.00' }).click();

        await page.getByRole('alert').waitFor();
        await takeScreenshot(page, `invoice-problem-${name}`);
        await page.getByRole('alert').getByRole('link').first().click();
        await page.waitForURL(/#number$/);
        await typeCard(page, '4242 4242 4242 4242');
        await page.getByRole('button', { name: 'Pay $100.00' }).click();

        await page.getByText('This invoice is paid').waitFor();
        await takeScreenshot(page, `invoice-paid-${name}`);
      });
    },
    timeoutMs,
  );
});

testInChromium.each([
  ['on a desk', wide],
  ['on a phone in the dark', small],
  ['in the dark', { ...wide, colorScheme: 'dark' as const }],
  ['on a phone', { ...small, colorScheme: 'light' as const }],
])(
  'a payer of several items types a discount code %s (needs Chromium)',
  async (place, options) => {
    const code = `SPRING-${String(Date.now())}`;
    await create('/discounts', {
      name: 'Spring',
      code,
      type: 'PERCENTAGE',
      value: 20,
      duration: 'ONCE',
    });
    const { id: customerId } = await create('/customers', { email: 'a@b.co' });
    const base = await create('/products', { ...product, name: 'Base' });
    const seats = await create('/products', { ...product, name: 'Seats', type: 'PER_UNIT' });
    const items = [{ productId: base.id }, { productId: seats.id, quantity: 3 }];
    const session = { customerId, items, allowDiscountCodes: true };
    const { checkoutUrl } = await create('/checkout', session);
    await visit(browser!, { ...options, javaScriptEnabled: false }, async (page) => {
      await page.goto(checkoutUrl);
      await page.getByText('Add a discount code').click();
      await takeScreenshot(page, `code ${place}`);
      await page.getByLabel('Discount code').fill('WRONG');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('This code is not valid.').waitFor();
      await expectToFit(page);
      await takeScreenshot(page, `code wrong ${place}`);
      await page.getByLabel('Discount code').fill(code);
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('Discount Spring is applied.').waitFor();
      await expectToFit(page);
      await takeScreenshot(page, `code applied ${place}`);
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('€116.00 due today').waitFor();
    });
  },
  timeoutMs,
);

testInChromium(
  'with JavaScript the same forms work, a trial is confirmed, and two clicks make one order (needs Chromium)',
  async () => {
    const { id: customerId } = await create('/customers', { email: 'a@b.co' });
    const { id: productId } = await create('/products', { ...product, trialDays: 14 });
    const { sessionId, checkoutUrl } = await create('/checkout', {
      customerId,
      productId,
      successUrl: `${shopUrl}/{SESSION_ID}`,
      cancelUrl: `${shopUrl}/cart`,
    });
    await visit(browser!, desktop, async (page) => {
      await page.goto(checkoutUrl);
      await page
        .getByText('14 days free, then €29.00 every month from February 14, 2026')
        .waitFor();
      await takeScreenshot(page, 'trial');
      await expectAccessible(page);
      await typeCard(page, '5555 5555 5555 4444');
      await page.getByRole('button', { name: 'Start free trial' }).dblclick();
      // The second click aborts the navigation of the first one, at which `waitForURL` would fail.
      await eventually(() => {
        expect(page.url()).toBe(`${shopUrl}/${sessionId}`);
      });
    });
    const session = await api.expect(200, api.get(`/checkout/${sessionId}`));
    expect(session).toMatchObject({ status: 'COMPLETE', subscription: { phase: 'TRIAL' } });
  },
  timeoutMs,
);

/** A link on which visitors choose the quantity of a tiered product. */
async function seatsLink(): Promise<any> {
  const tiers = [
    { upTo: '10', unitAmount: '500' },
    { upTo: null, unitAmount: '400', flatAmount: '1000' },
  ];
  const terms = { ...product, currency: 'usd', name: 'Seats', type: 'VOLUME', tiers };
  const { id } = await create('/products', terms);
  return create('/checkout-links', {
    ...{ label: 'Team', productIds: [id], successUrl: `${shopUrl}/{SESSION_ID}` },
    ...{ quantity: { min: 2, max: 50 }, collect: ['NAME', 'ADDRESS'] },
  });
}

async function expectPaidSeats(page: Page, quantity: number, amountPaid: number): Promise<void> {
  await page.waitForURL(`${shopUrl}/*`);
  const sessionId = new URL(page.url()).pathname.slice(1);
  expect(await api.expect(200, api.get(`/checkout/${sessionId}`))).toMatchObject({
    ...{ status: 'COMPLETE', quantity, invoice: { amountPaid } },
    customer: { name: 'Ada Lovelace', address: { line1: 'Ring 1', city: 'Bern', country: 'CH' } },
  });
}

testInChromium(
  'by the keyboard alone a visitor chooses a quantity, and the script helps with the card (needs Chromium)',
  async () => {
    const { url } = await seatsLink();
    await visit(browser!, wide, async (page) => {
      const type = async (...texts: readonly string[]) => {
        for (const text of texts) {
          await page.keyboard.press('Tab');
          await page.keyboard.type(text);
        }
      };
      const valueOf = (id: string) => page.locator(`#${id}`).inputValue();
      await page.goto(url);
      await expectAccessible(page);
      await page.keyboard.press('Tab');
      await type('20');
      await page.getByText('20 for $90.00 every month').waitFor();
      expect(await page.getByRole('button').allTextContents()).toEqual(['Continue to payment']);
      // The other parts of the address are optional.
      await type('ada@example.com', 'Ada Lovelace', 'Ring 1', '', '', 'Bern', '', '');
      // Letters that follow each other too late, on a busy machine, begin another country.
      await eventually(
        async () => {
          await page.keyboard.type('Switz');
          expect(await valueOf('country')).toBe('Switzerland');
        },
        { everyMs: 3_000 },
      );
      await takeScreenshot(page, 'link-quantity-1440');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');

      await page.getByText('$90.00 due today').waitFor();
      await page.waitForLoadState();
      // The calculation of the amount comes first.
      await page.keyboard.press('Tab');
      await type('4000000000000002', '1234', '123', 'Ada Lovelace');
      expect([await valueOf('number'), await valueOf('expiry')]).toEqual([
        '4000 0000 0000 0002',
        '12/34',
      ]);
      await page.getByText('Visa', { exact: true }).waitFor();
      await takeScreenshot(page, 'session-typed-1440');
      await expectAccessible(page);
      await page.keyboard.press('Enter');

      await page.getByText('Your card was declined').waitFor();
      await page.waitForLoadState();
      expect([await valueOf('number'), await valueOf('name')]).toEqual(['', 'Ada Lovelace']);
      await expectAccessible(page);
      // A digit that is typed in the middle stays there.
      await type('555555555554444');
      for (let left = 0; left < 5; left += 1) await page.keyboard.press('ArrowLeft');
      await page.keyboard.type('5');
      expect(await valueOf('number')).toBe('5555 5555 5555 4444');
      await page.getByText('Mastercard', { exact: true }).waitFor();
      await type('1234', '123');
      await page.keyboard.press('Enter');
      await expectPaidSeats(page, 20, 9000);
    });
  },
  timeoutMs,
);

testInChromium(
  'by touch, in the dark, a visitor chooses a quantity and pays what was shown (needs Chromium)',
  async () => {
    const { url } = await seatsLink();
    await visit(browser!, small, async (page) => {
      await page.goto(url);
      await page.locator('#quantity').tap();
      await page.locator('#quantity').fill('10');
      await page.getByText('10 for $50.00 every month').waitFor();
      await page.locator('#quantity').fill('99');
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByLabel('Name').fill('Ada Lovelace');
      await page.getByLabel('Street and number').fill('Ring 1');
      await page.getByLabel('City').fill('Bern');
      await page.getByLabel('Country').selectOption('Switzerland');
      await expectToFit(page);
      await expectAccessible(page);
      await takeScreenshot(page, 'link-quantity-390');
      await page.locator('#quantity').fill('11');
      await page.getByText('11 for $54.00 every month').waitFor();
      await page.getByRole('button', { name: 'Continue to payment' }).tap();
      await typeCard(page, '4242424242424242');
      await expectToFit(page);
      await expectAccessible(page);
      await takeScreenshot(page, 'session-typed-390');
      await page.getByRole('button', { name: 'Pay $54.00' }).tap();
      await expectPaidSeats(page, 11, 5400);
    });
  },
  timeoutMs,
);

testInChromium(
  'all is reached by the keyboard, and what is wrong comes first (needs Chromium)',
  async () => {
    const { id: customerId } = await create('/customers', { email: 'a@b.co' });
    const { id: productId } = await create('/products', product);
    const { checkoutUrl } = await create('/checkout', { customerId, productId });
    await visit(browser!, desktop, async (page) => {
      await page.goto(checkoutUrl);
      await page.locator('#number').focus();
      for (const text of ['4242424242424242', '12/34', 'abc']) {
        await page.keyboard.type(text);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      await page.locator('[role=alert]:focus').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('#code:focus').waitFor();
    });
  },
  timeoutMs,
);
