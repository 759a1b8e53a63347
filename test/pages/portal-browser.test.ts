import type { Browser, Page } from 'playwright-core';
import {
  desktop,
  expectAccessible,
  expectToFit,
  phone,
  viewports,
  takeScreenshot,
  typeCard,
  visit,
} from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { numbers, PortalScene, usd, authorization } from '../support/portal-scene';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

let system: TestSystem;
let scene: PortalScene;
let browser: Browser;

beforeAll(async () => {
  if (program === undefined) return;
  system = await joinTestSystem();
  scene = await PortalScene.begin(system);
  browser = await launchChromium(program);
}, timeoutMs);

afterAll(async () => {
  if (program === undefined) return;
  await browser.close();
});

const path = (page: Page) => new URL(page.url()).pathname;

/** Creates a customer with some of everything; returns the sign-in link of their portal. */
async function fullPortal(): Promise<string> {
  const { api } = scene;
  const customerId = await scene.customer({ name: 'Ada Lovelace', email: 'ada@example.com' });
  const terms = { name: 'Launch offer', type: 'PERCENTAGE', value: 20, duration: 'FOREVER' };
  const { id: discountId } = await scene.create('/discounts', terms);
  const { id: productId } = await scene.create('/products', {
    ...usd,
    name: 'Team',
    type: 'PER_UNIT',
    amount: 1900,
  });
  const price = { unitAmount: '0.5', includedUnits: 10_000 };
  const meterId = await scene.price(productId, { name: 'API calls', unit: 'calls' }, price);
  const input = { productId, discountId, quantity: 12, customerId };
  await scene.create('/subscriptions', { ...input, authorizedTransactionId: authorization() });
  await scene.create(`/customers/${customerId}/meter-credits`, { meterId, amount: 2_500 });
  const used = { customerId, meterId, quantity: 7_300 };
  await scene.create('/events/ingest', { events: [used] });
  const { id } = await scene.subscribe(customerId, { plan: { name: 'Newsletter' } });
  await api.expect(200, api.post(`/subscriptions/${String(id)}/cancel`));
  // Last: any good card added after it would pay the open invoice.
  const declined = { cardNumber: numbers.declined, plan: { name: 'Storage', amount: 700 } };
  await scene.subscribe(customerId, declined);
  const returnUrl = 'https://shop.example/account';
  return (await scene.create('/portal/sessions', { customerId, returnUrl })).url;
}

describe.each(viewports)('the portal %s', (looking, options) => {
  testInChromium(
    'is walked through without JavaScript (needs Chromium)',
    async () => {
      const url = await fullPortal();
      await visit(browser, { ...options, javaScriptEnabled: false }, async (page) => {
        const look = async (name: string) => {
          await expectToFit(page);
          await takeScreenshot(page, `portal-${name}-${looking}`);
        };
        await page.goto(url);
        await look('door');
        await page.getByRole('button', { name: 'Open the portal' }).click();
        await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
        expect(path(page)).toBe('/portal');
        await look('overview');
        const header = page.getByRole('banner');
        const tabs = await header.getByRole('navigation').getByRole('link').all();
        const boxes = await Promise.all(tabs.map((tab) => tab.boundingBox()));
        expect(new Set(boxes.map((box) => `${String(box?.y)} ${String(box?.height)}`)).size).toBe(
          1,
        );
        expect(boxes[0]?.height).toBeLessThan(40);

        await page.getByRole('link', { name: 'Usage', exact: true }).click();
        await page.getByText('7,300 of 10,000 calls included').waitFor();
        await look('usage');

        await page.getByRole('link', { name: 'Payment methods', exact: true }).click();
        await typeCard(page, '5555 5555 5555 4444');
        await page.getByRole('button', { name: 'Save card' }).click();
        await page.getByText('The card was added.').waitFor();
        await look('methods');

        await page.getByRole('link', { name: 'Contact details' }).click();
        await page.getByLabel('City').fill('Zürich');
        await page.getByLabel('Country').selectOption('Switzerland');
        await page.getByLabel('Email').fill('');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('alert').waitFor();
        expect(await page.getByLabel('Country').inputValue()).toBe('Switzerland');
        await look('details');

        await page.getByRole('link', { name: 'Overview' }).click();
        await page.getByRole('link', { name: 'Cancel subscription' }).first().click();
        await page.getByRole('heading', { name: /^Cancel/ }).waitFor();
        await look('cancel');
        await page.getByRole('button', { name: 'Cancel at the end of the period' }).click();
        await page.getByText('Your subscription will end').waitFor();
        await look('canceled');
        await page.getByRole('button', { name: 'Keep subscription' }).click();
        await page.getByText('Your subscription will renew as usual.').waitFor();

        await page.getByRole('link', { name: 'Invoices' }).first().click();
        await page.getByRole('heading', { name: 'Invoices' }).waitFor();
        await look('invoices');

        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
        await look('left');
        await page.goto(url);
        await look('used');
        await page.goto(`${system.gatewayUrl}/portal`);
        await page.getByRole('heading', { name: 'Your session has expired' }).waitFor();
        await look('over');
      });
    },
    timeoutMs,
  );
});

testInChromium(
  'an invoice is paid with a saved card, and after 3-D Secure with another (needs Chromium)',
  async () => {
    const customerId = await scene.customer({ collectionMethod: 'SEND_INVOICE' });
    await scene.subscribe(customerId, { cardNumber: null, plan: { name: 'First' } });
    await scene.subscribe(customerId, { cardNumber: null, plan: { name: 'Second' } });
    const { url } = await scene.create('/portal/sessions', { customerId });
    await visit(browser, desktop, async (page) => {
      await page.goto(url);
      // Both presses before the answer to the first.
      await page.getByRole('button', { name: 'Open the portal' }).evaluate((button: any) => {
        button.click();
        button.click();
      });
      await page.getByRole('heading', { name: 'Open invoices' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: /^Pay/ }).last().click();
      await expectAccessible(page);
      await typeCard(page, '4000 0025 0000 3155');
      await page.getByRole('button', { name: 'Pay $29.00' }).click();
      await page.getByRole('heading', { name: 'Confirm your payment' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('This invoice is paid').waitFor();
      await expectAccessible(page);

      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('link', { name: /^Pay/ }).last().click();
      await page.getByText('Pay with another card').click();
      await takeScreenshot(page, 'portal-invoice');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Pay $29.00', exact: true }).click();
      await page.getByText('This invoice is paid').waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      expect(await page.getByRole('heading', { name: 'Open invoices' }).count()).toBe(0);
    });
  },
  timeoutMs,
);

testInChromium(
  'by touch on a phone a customer pays an invoice and signs out (needs Chromium)',
  async () => {
    const customerId = await scene.customer({ collectionMethod: 'SEND_INVOICE' });
    await scene.subscribe(customerId, { cardNumber: null, plan: { name: 'First' } });
    const { url } = await scene.create('/portal/sessions', { customerId });
    await visit(browser, phone, async (page) => {
      await page.goto(url);
      await page.getByRole('button', { name: 'Open the portal' }).tap();
      await page.getByRole('link', { name: /^Pay/ }).last().tap();
      await typeCard(page, '4242424242424242');
      await page.getByRole('button', { name: 'Pay $29.00' }).tap();
      await page.getByText('This invoice is paid').waitFor();
      await expectToFit(page);
      await page.getByRole('link', { name: 'Overview' }).tap();
      await page.getByRole('heading', { name: 'Ada' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).tap();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    });
  },
  timeoutMs,
);

testInChromium(
  'every page is accessible, in both color schemes (needs Chromium)',
  async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const url = await fullPortal();
      await visit(browser, { ...desktop, colorScheme }, async (page) => {
        await page.goto(url);
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Open the portal' }).click();
        await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
        const cancel = await page
          .getByRole('link', { name: 'Cancel subscription' })
          .first()
          .getAttribute('href');
        const invoice = await page
          .getByRole('link', { name: /^Fix payment/ })
          .first()
          .getAttribute('href');
        const paths = ['usage', 'invoices', 'payment-methods', 'details'].map(
          (name) => `/portal/${name}`,
        );
        for (const one of ['/portal?done=kept', ...paths, cancel ?? '', invoice ?? '']) {
          await page.goto(`${system.gatewayUrl}${one}`);
          await expectAccessible(page);
        }
        await page.getByText('Pay with another card').click();
        await page.getByRole('button', { name: 'with this card' }).click();
        await page.getByRole('alert').waitFor();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await expectAccessible(page);
        for (const one of [url, `${system.gatewayUrl}/portal`, `${system.gatewayUrl}/portal/x`]) {
          await page.goto(one);
          await expectAccessible(page);
        }
      });
    }
  },
  timeoutMs,
);

testInChromium(
  'by the keyboard alone a customer cancels, changes their mind and signs out (needs Chromium)',
  async () => {
    const customerId = await scene.customer();
    await scene.subscribe(customerId, { plan: { name: 'Pro' } });
    const { url } = await scene.create('/portal/sessions', { customerId });
    await visit(browser, desktop, async (page) => {
      const focused = () =>
        page.evaluate('document.activeElement.innerText.replace(/\\s+/g, " ").trim()');
      await page.goto(url);
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('Open the portal');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Ada' }).waitFor();
      const reached: unknown[] = [];
      for (let tabs = 0; tabs < 9; tabs += 1) {
        await page.keyboard.press('Tab');
        reached.push(await focused());
      }
      expect(reached).toEqual([
        'Skip to content',
        'Sign out',
        'Overview',
        'Usage',
        'Invoices',
        'Payment methods',
        'Contact details',
        'Cancel subscription',
        'Manage payment methods',
      ]);

      const tabTo = async (text: string) => {
        for (let tabs = 0; tabs < 20 && (await focused()) !== text; tabs += 1) {
          await page.keyboard.press('Tab');
        }
        expect(await focused()).toBe(text);
        await page.keyboard.press('Enter');
      };
      await page.keyboard.press('Shift+Tab');
      await tabTo('Cancel subscription');
      await page.getByRole('heading', { name: /^Cancel/ }).waitFor();
      await tabTo('Cancel at the end of the period');
      await page.getByText('Your subscription will end').waitFor();
      await tabTo('Keep subscription');
      await page.getByText('Your subscription will renew as usual.').waitFor();
      await tabTo('Payment methods');
      await page.getByRole('heading', { name: 'Payment methods', level: 1 }).waitFor();
      await tabTo('Sign out');
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    });
  },
  timeoutMs,
);
