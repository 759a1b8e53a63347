import type { Page } from 'playwright-core';
import { eventually } from '@billing/chassis/testing';
import { desktop, takeScreenshot, visit } from '../support/browser-visit';
import { ensureChromium } from '../support/chromium';
import { bytesOf, type PageBytes } from '../pictures/page-bytes';
import { numbers, type PortalScene, usd } from '../support/portal-scene';
import { DashboardScene } from './dashboard-scene';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;
/** Calls of the frame around every page. */
const frameCalls = ['/dashboard/api/session', '/v1/sandboxes/clock'];

let dashboard: DashboardScene;

beforeAll(async () => {
  if (program !== undefined) dashboard = await DashboardScene.begin(program);
}, timeoutMs);

afterAll(async () => {
  if (program !== undefined) await dashboard.end();
});

/** Limits of what a browser loads for a page if it has no file of the dashboard yet. */
const bytesMax: PageBytes = { total: 260_000, code: 200_000, calls: 50_000 };

/**
 * Calls of the API that a page makes when it is loaded, without those of the frame, and all bytes
 * that it loads. A page that polls repeats calls, which count once.
 */
async function costsOf(page: Page, path: string): Promise<{ calls: number; bytes: PageBytes }> {
  const calls = new Set<string>();
  const record = (request: { url: () => string; method: () => string }) => {
    const { pathname, search } = new URL(request.url());
    const isCall = /^\/(v1|dashboard\/api)\//.test(pathname);
    if (isCall && !frameCalls.includes(pathname)) {
      calls.add(`${request.method()} ${pathname}${search}`);
    }
  };
  // Ends the calls of the page before.
  await page.goto('about:blank');
  page.on('request', record);
  const bytes = await bytesOf(page, async () => {
    await dashboard.open(page, path);
    await page.locator('.skeleton-line').first().waitFor({ state: 'detached' });
  });
  page.off('request', record);
  return { calls: calls.size, bytes };
}

/** Kinds whose pages are opened, of one resource each; resources of the same filter look alike. */
const kinds = [
  ['/customers', ''],
  ['/subscriptions', '?status=ACTIVE'],
  ['/invoices', '?status=PAID'],
  ['/products', ''],
] as const;

/** Calls of each page, and of the page of one resource of some kinds. */
const expected = {
  '/': 2,
  '/revenue': 1,
  '/payments': 1,
  '/tax-report': 1,
  '/customers': 1,
  '/customers/:id': 12,
  '/subscriptions': 2,
  '/subscriptions/:id': 6,
  '/invoices': 2,
  '/invoices/:id': 6,
  '/credit-notes': 1,
  '/refunds': 2,
  '/disputes': 1,
  '/emails': 3,
  '/dunning': 3,
  '/products': 1,
  '/products/:id': 2,
  '/discounts': 1,
  '/checkout': 3,
  // Meters, usage, events, and the names of the customers.
  '/usage': 4,
  '/credits': 1,
  '/developers/api-keys': 2,
  '/developers/sandboxes': 1,
  '/developers/inbox': 2,
  '/developers/webhooks': 2,
  '/developers/events': 3,
  '/developers/requests': 2,
  '/export': 0,
  '/settings/seller': 1,
  '/settings/branding': 2,
  '/settings/tax': 2,
  '/settings/portal': 1,
  '/settings/email': 2,
  '/team': 1,
  '/security': 0,
  '/audit-log': 2,
  '/system': 3,
};

/** Rows of the pages about checkouts, discounts, usage and credits. */
async function sell(scene: PortalScene, customerId: string): Promise<void> {
  const discount = { name: 'Spring', type: 'PERCENTAGE', value: 10, duration: 'ONCE' };
  const { id: discountId } = await scene.create('/discounts', discount);
  const { id: productId } = await scene.create('/products', usd);
  const link = { label: 'Plans', productIds: [productId], discountId };
  const { id: checkoutLinkId } = await scene.create('/checkout-links', link);
  await scene.create('/checkout', { customerId, productId, checkoutLinkId });
  const meterId = await scene.price(productId, { name: 'Calls' }, { unitAmount: '1' });
  await scene.create('/events/ingest', { events: [{ customerId, meterId, quantity: 5 }] });
  await scene.create(`/customers/${customerId}/meter-credits`, { meterId, amount: 10 });
}

/** Pages that load more than a limit. */
function tooLarge(loaded: Readonly<Record<string, PageBytes>>) {
  return Object.entries(loaded).filter(
    ([, { total, code, calls }]) =>
      total > bytesMax.total || code > bytesMax.code || calls > bytesMax.calls,
  );
}

testInChromium(
  'each page makes a number of calls that does not grow with its rows, and loads few bytes',
  async () => {
    const { scene, browser } = dashboard;
    // Older than the customer whose page is opened.
    for (const name of ['Cleo', 'Dora']) await sell(scene, await scene.customer({ name }));
    for (const name of ['Ada', 'Bob']) {
      const customerId = await scene.customer({ email: 'calls@example.com', name });
      await scene.subscribe(customerId);
      await scene.subscribe(customerId, { cardNumber: numbers.declined });
    }
    await eventually(async () => {
      for (const mails of ['/emails', '/sandboxes/inbox']) {
        expect((await scene.read(mails)).total).toBeGreaterThan(1);
      }
    });
    await visit(browser, desktop, async (page) => {
      await dashboard.signIn(page);
      const place = new URL(page.url()).pathname.replace(/\/$/, '');
      const links = await page.locator('#navigation a').all();
      const hrefs = await Promise.all(links.map((link) => link.getAttribute('href')));
      const found: Record<string, number> = {};
      const loaded: Record<string, PageBytes> = {};
      const load = async (name: string, path: string) => {
        const { calls, bytes } = await costsOf(page, path);
        found[name] = calls;
        loaded[name] = bytes;
      };
      for (const href of hrefs) {
        const path = (href ?? '').slice(place.length);
        await load(path, path);
      }
      for (const [kind, filter] of kinds) {
        const { data } = await scene.read(`${kind}${filter}`);
        await load(`${kind}/:id`, `${kind}/${String(data[0].id)}`);
      }
      expect(found).toEqual(expected);
      expect(tooLarge(loaded)).toEqual([]);
    });
  },
  timeoutMs,
);

testInChromium(
  'the menus of the top bar are loaded on first use, and opened by the first press of a key',
  async () => {
    await visit(dashboard.browser, desktop, async (page) => {
      await dashboard.signIn(page);
      const requested: string[] = [];
      const release = Promise.withResolvers<undefined>();
      await page.route(/\/assets\/(account-menu|environment-switcher)-/, async (route) => {
        requested.push(route.request().url());
        await release.promise;
        await route.continue();
      });
      await dashboard.open(page, '/');
      expect(requested).toEqual([]);
      const account = page.getByRole('button', { name: /^Account: / });
      await account.focus();
      await page.keyboard.press('Enter');
      await page.locator('.account-button[aria-busy=true] .spinner').waitFor();
      release.resolve(undefined);
      const entry = (name: string) =>
        page.getByRole('menuitem', { name }).and(page.locator(':focus')).waitFor();
      await entry('Your account');
      await page.keyboard.press('ArrowDown');
      await entry('Documentation');
      await page.keyboard.press('Escape');
      await page.locator('.account-button:focus').waitFor();
      await page.locator('.environment-switcher').focus();
      await page.keyboard.press('Enter');
      await page.locator('.combobox input:focus').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.environment-switcher:focus').waitFor();
    });
  },
  timeoutMs,
);

testInChromium(
  'the open request log shows a request of a moment ago',
  async () => {
    const { scene, browser } = dashboard;
    await visit(browser, desktop, async (page) => {
      await dashboard.signIn(page);
      await dashboard.open(page, '/developers/requests');
      await page.locator('.skeleton-line').first().waitFor({ state: 'detached' });
      await scene.create('/portal/sessions', { customerId: await scene.customer() });
      await page.getByText('POST /v1/portal/sessions').waitFor();
      await takeScreenshot(page, 'dashboard request log of a moment ago');
    });
  },
  timeoutMs,
);
