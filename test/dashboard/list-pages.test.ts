import { eventually } from '@billing/chassis/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { desktop, expectAccessible, phone, takeScreenshot, visit } from '../support/browser-visit';
import { ensureChromium } from '../support/chromium';
import { numbers, type PortalScene, usd } from '../support/portal-scene';
import { DashboardScene } from './dashboard-scene';
import { fillIn, heading, pick, press } from './page-actions';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

let dashboard: DashboardScene;
let browser: Browser;
let scene: PortalScene;

beforeAll(async () => {
  if (program === undefined) return;
  dashboard = await DashboardScene.begin(program);
  ({ browser, scene } = dashboard);
}, timeoutMs);

afterAll(async () => {
  if (program !== undefined) await dashboard.end();
});

const open = (page: Page, path: string) => dashboard.open(page, path);
const signIn = (page: Page) => dashboard.signIn(page);

testInChromium(
  'the figures of the home page match the lists that they link to, and the revenue page shows MRR',
  async () => {
    const customerId = await scene.customer({ email: 'bob@example.com', name: null });
    await scene.subscribe(customerId);
    await scene.subscribe(customerId, { plan: { trialDays: 14 } });
    // Its failed payment is in the dunning report, and it counts in no figure.
    const { id } = await scene.subscribe(customerId, { cardNumber: numbers.declined });
    await scene.api.expect(200, scene.api.post(`/subscriptions/${id}/cancel`));
    await visit(browser, phone, async (page) => {
      await signIn(page);
      for (const [name, count] of [
        ['Active', '1'],
        ['On trial', '1'],
        ['Past due', '0'],
      ] as const) {
        await open(page, '');
        const figure = page.locator('.figure', { hasText: name });
        await figure.locator('.figure-value', { hasText: count }).waitFor();
        await figure.getByRole('link').click();
        await heading(page, 'Subscriptions');
        const expected = count === '0' ? 'No subscriptions found' : `1–${count} of ${count}`;
        await page.getByText(expected).waitFor();
      }
      await open(page, '/dunning');
      const caption = await page.locator('caption', { hasText: 'Amounts in USD' }).boundingBox();
      expect(caption?.width).toBeGreaterThan(200);
      await open(page, '/revenue');
      await page.getByText('$29.00').first().waitFor();
      await expectAccessible(page);
    });
  },
  timeoutMs,
);

/** Calls of the frame around every page. */
const frameCalls = ['/dashboard/api/session', '/dashboard/api/environments', '/v1/sandboxes/clock'];

/** Paths of the API that a page calls, without those of the frame. */
async function callsOf(page: Page, path: string): Promise<readonly string[]> {
  // By address: a read that failed is repeated.
  const calls = new Map<string, string>();
  const record = (request: { url: () => string }) => {
    const { pathname, search } = new URL(request.url());
    const isCall = /^\/(v1|dashboard\/api)\//.test(pathname);
    if (isCall && !frameCalls.includes(pathname)) calls.set(`${pathname}${search}`, pathname);
  };
  // Ends the calls of the page before.
  await page.goto('about:blank');
  page.on('request', record);
  await open(page, path);
  await page.locator('.skeleton-line').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  page.off('request', record);
  return [...calls.values()];
}

testInChromium(
  'an operator sees which invoices are at risk, charges several at once, and voids them',
  async () => {
    for (const name of ['Cleo', 'Dora']) {
      const customerId = await scene.customer({ email: 'at-risk@example.com', name });
      await scene.subscribe(customerId, { cardNumber: numbers.declined, plan: { name: 'Risky' } });
    }
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      const calls = await callsOf(page, '/dunning');
      expect(calls.filter((path) => path.includes('customers'))).toEqual([]);
      const row = page.locator('tr', { hasText: 'Cleo' });
      await row.getByText('Card declined').waitFor();
      await row.getByText('then 2 more retries').waitFor();
      await row.getByText('Feb 3, 2026').waitFor();
      await expectAccessible(page);
      await takeScreenshot(page, 'dashboard invoices at risk');
      for (const name of ['Cleo', 'Dora']) {
        await page.locator('tr', { hasText: name }).getByRole('checkbox').check();
      }
      await runBulk(page, 'Charge', 'Payment failed: card declined.', '0 done, 2 failed.');
      await row.getByRole('link', { name: /^INV-/ }).click();
      await page.locator('.facts').getByText('Next charge').waitFor();
      await page.getByText('then 2 more retries').waitFor();
      await page.goBack();
      await page
        .getByRole('checkbox', { name: 'Select all Invoices at risk of this page' })
        .check();
      await runBulk(page, 'Void', 'Voided.', '2 done, 0 failed.');
      await page.getByText('No invoices at risk').waitFor();
    });
  },
  timeoutMs,
);

/** Runs an action on the two selected rows, and reads their outcomes. */
async function runBulk(page: Page, label: string, outcome: string, summary: string): Promise<void> {
  await page.locator('.bulk-bar').getByRole('button', { name: label }).click();
  const dialog = page.locator('.dialog');
  await dialog.getByRole('button', { name: `${label} 2` }).click();
  await dialog.getByText(summary).waitFor();
  expect(await dialog.getByRole('cell', { name: outcome }).count()).toBe(2);
  await expectAccessible(page);
  await takeScreenshot(page, `dashboard bulk ${label}`);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.locator('.bulk-bar').waitFor({ state: 'detached' });
}

testInChromium(
  'an action on several invoices names them first, and Escape stops it and keeps the outcomes',
  async () => {
    const customerId = await scene.customer({ email: 'several@example.com', name: 'Several' });
    const lines = [{ description: 'Setup', amount: 500 }];
    const terms = { collectionMethod: 'SEND_INVOICE', currency: 'USD', finalize: true };
    const numbered: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { number } = await scene.create('/invoices', { customerId, lines, ...terms });
      numbered.push(number as string);
    }
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      await open(page, `/invoices?customerId=${customerId}`);
      const all = page.getByRole('checkbox', { name: 'Select all Invoices of this page' });
      await all.check();
      const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
      let sent = 0;
      await page.route(/\/v1\/invoices\/[^/]+\/void$/, async (route) => {
        sent += 1;
        await released;
        await route.continue();
      });
      await page.locator('.bulk-bar').getByRole('button', { name: 'Void' }).click();
      const dialog = page.locator('.dialog');
      for (const number of numbered) await dialog.getByRole('cell', { name: number }).waitFor();
      await expectAccessible(page);
      await takeScreenshot(page, 'dashboard bulk confirmation');
      await dialog.getByRole('button', { name: 'Void 5' }).click();
      await eventually(async () => {
        expect(sent).toBe(3);
      });
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Stop', disabled: true }).waitFor();
      release(undefined);
      await dialog.getByText('3 done, 0 failed, 2 not started.').waitFor();
      expect(await dialog.getByRole('cell', { name: 'Voided.' }).count()).toBe(3);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.locator('.bulk-bar').waitFor({ state: 'detached' });
      // Other filters show other rows.
      await all.check();
      await page.locator('.bulk-bar').getByText('5 selected').waitFor();
      await page.getByLabel('Status').first().selectOption('Open');
      await page.getByText('1–2 of 2').waitFor();
      await page.locator('.bulk-bar').waitFor({ state: 'detached' });
    });
  },
  timeoutMs,
);

testInChromium(
  'the account menu is in view on a low screen, and content uses the width of a wide one',
  async () => {
    const [width, height] = [1440, 500];
    await visit(browser, { viewport: { width, height } }, async (page) => {
      await signIn(page);
      await open(page, '/subscriptions');
      const account = page.getByRole('button', { name: /^Account: / });
      const bottomOf = async (target: Locator) => {
        const { y, height: own } = (await target.boundingBox())!;
        return y + own;
      };
      expect(await bottomOf(account)).toBeLessThan(100);
      await account.click();
      const last = page.getByRole('menuitem', { name: 'Sign out' });
      await last.waitFor();
      expect(await bottomOf(last)).toBeLessThanOrEqual(height);
      const panel = (await page.locator('main .panel').first().boundingBox())!;
      expect(panel.width).toBeGreaterThan(1100);
    });
  },
  timeoutMs,
);

testInChromium(
  'a list keeps its filters, page and order in the URL, and reads the names of its rows together',
  async () => {
    await scene.subscribe(await scene.customer({ email: 'list@example.com', name: null }));
    for (let number = 1; number <= 26; number += 1) {
      await scene.create('/customers', { email: 'many@example.com', name: `Many ${number}` });
    }
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      for (const [list, names] of [
        ['/invoices', '/v1/customers'],
        ['/subscriptions', '/v1/products'],
      ] as const) {
        expect(await callsOf(page, list)).toEqual([`/v1${list}`, names]);
      }
      await page.getByRole('button', { name: /^Account: / }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await open(page, '/invoices');
      await pick(page, page.getByRole('combobox', { name: 'Customer: All' }), 'list@example.com');
      await page.getByRole('combobox', { name: 'Customer: list@example.com' }).waitFor();
      expect(new URL(page.url()).search).toMatch(/^\?customerId=[0-9a-f-]{36}$/);
      await expectAccessible(page);
      await pick(page, page.getByRole('combobox', { name: 'Subscription: All' }), 'Pro');
      await page.getByRole('combobox', { name: 'Subscription: Pro · list@example.com' }).waitFor();
      expect(new URL(page.url()).searchParams.get('subscriptionId')).toMatch(/^[0-9a-f-]{36}$/);
      await page.getByText('1–1 of 1').waitFor();
      await open(page, '/customers?email=many@example.com');
      await press(page, 'Next');
      await page.getByRole('cell', { name: 'Many 1', exact: true }).waitFor();
      expect(new URL(page.url()).search).toBe('?email=many%40example.com&page=2');
      await press(page, 'Newest first');
      await press(page, 'Oldest first');
      await press(page, 'Newest first');
      await page.getByRole('cell', { name: 'Many 2', exact: true }).waitFor();
      expect(new URL(page.url()).search).toBe('?email=many%40example.com&order=asc');
      for (let back = 0; back < 3; back += 1) await page.goBack();
      await page.getByText('26–26 of 26').waitFor();
      await page.goBack();
      await page.getByText('1–25 of 26').waitFor();
      await page.reload();
      await page.getByText('1–25 of 26').waitFor();
      // A page past the end, of an old link or of rows that have left the list since.
      await open(page, '/customers?email=many@example.com&page=9');
      await page.getByText('26–26 of 26').waitFor();
      expect(new URL(page.url()).search).toBe('?email=many%40example.com&page=2');
      await press(page, 'Previous');
      await page.getByText('1–25 of 26').waitFor();
      await open(page, '/developers/sandboxes?page=2');
      await page.getByLabel('Name or ID').fill('test');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'test', exact: true }).waitFor();
      expect(new URL(page.url()).search).toBe('?search=test');
    });
  },
  timeoutMs,
);

testInChromium(
  'an operator creates a checkout link, deactivates it, and activates it again',
  async () => {
    const { id: productId } = await scene.create('/products', { ...usd, name: 'Solo' });
    const duo = await scene.create('/products', { ...usd, name: 'Duo' });
    await scene.create('/discounts', {
      name: 'A tenth',
      type: 'PERCENTAGE',
      value: 10,
      duration: 'ONCE',
    });
    const customerId = await scene.customer();
    await scene.create('/checkout', { customerId, productId });
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      await open(page, '/checkout');
      await press(page, 'New link');
      await page.locator('.dialog').getByLabel('Solo').check();
      await page.locator('.dialog').locator('[name=label]').fill('Plans');
      await pick(page, page.locator('.dialog .picker'), 'A tenth');
      await page.locator('.dialog').locator('[name="quantity.max"]').fill('3');
      await page.locator('.dialog').getByLabel('Name', { exact: true }).check();
      await page.locator('.dialog').getByRole('button', { name: 'Create link' }).click();
      const row = page.locator('tr', { hasText: /plans/i });
      await row.getByRole('link', { name: 'A tenth' }).waitFor();
      expect((await scene.read('/checkout-links')).data).toMatchObject([
        { quantity: { min: 1, max: 3 }, collect: ['NAME'] },
      ]);
      const url = (await row.getByRole('link', { name: 'Plans' }).getAttribute('href')) ?? '';
      for (const [action, state, status] of [
        ['Deactivate', 'Inactive', 410],
        ['Activate', 'Active', 200],
      ] as const) {
        await fillIn(page, { opener: action, confirm: action });
        await row.getByText(state, { exact: true }).waitFor();
        expect((await fetch(url)).status).toBe(status);
        await takeScreenshot(page, `dashboard link ${state}`);
      }
      const bounds = { 'quantity.min': '2', 'quantity.max': '10' };
      const fields = { label: 'All plans', returnUrl: 'https://shop.example/', ...bounds };
      await fillIn(page, { opener: 'Edit', confirm: 'Save', fields });
      await page.getByRole('link', { name: 'All plans' }).waitFor();
      const { data } = await scene.read('/checkout-links');
      const quantity = { min: 2, max: 10 };
      const changed = { label: 'All plans', returnUrl: 'https://shop.example/', quantity };
      expect(data).toMatchObject([{ ...changed, collect: ['NAME'] }]);
      await row.getByText('2 to 10').waitFor();
      await row.getByRole('button', { name: 'Edit' }).click();
      await page.locator('.dialog').getByLabel('Duo').check();
      await page.locator('.dialog').getByRole('button', { name: 'Save' }).click();
      await row.getByRole('link', { name: 'Duo' }).waitFor();
      const { discountId } = data[0];
      expect(discountId).toEqual(expect.any(String));
      expect((await scene.read('/checkout-links')).data).toMatchObject([
        { productIds: [productId, duo.id], discountId },
      ]);

      const sessions = page.getByRole('region', { name: 'Checkout sessions' });
      await sessions.getByRole('row', { name: /Ada Solo .* Open/ }).waitFor();
      const panel = page.locator('.panel', {
        has: page.getByRole('heading', { name: 'Sessions' }),
      });
      await panel.getByLabel('Status').selectOption('Complete');
      await page.getByText('No sessions found').waitFor();
      await press(page, 'Clear filters');
      await sessions.getByRole('link', { name: 'Solo' }).waitFor();
      await press(page, 'Sessions');
      await page.getByText('No sessions found').waitFor();
      await page.locator('[role="group"][aria-label="Sessions"]:focus').waitFor();
      await expectAccessible(page);
      await takeScreenshot(page, 'dashboard sessions of a link');
      await page.getByRole('button', { name: 'Remove filter by link All plans' }).click();
      await sessions.getByRole('link', { name: 'Solo' }).waitFor();
      expect(new URL(page.url()).search).toBe('');
      await page.keyboard.press('ArrowDown');
      const first = sessions.locator('a:focus', { hasText: 'Ada' });
      await first.waitFor();
      // Without a focus the first table with rows to open is entered.
      await page.reload();
      await row.getByRole('link', { name: 'All plans' }).waitFor();
      await eventually(async () => {
        await page.keyboard.press('ArrowDown');
        await row.locator('a:focus').waitFor({ timeout: 5_000 });
      });
    });
  },
  timeoutMs,
);

testInChromium(
  'an operator checks whether a code can be redeemed',
  async () => {
    const terms = { type: 'PERCENTAGE', value: 25, duration: 'ONCE' };
    await scene.create('/discounts', { name: 'Spring', code: 'SPRING', ...terms });
    const ended = { startsAt: '2020-01-01T00:00:00Z', endsAt: '2020-02-01T00:00:00Z' };
    await scene.create('/discounts', { name: 'Winter', code: 'WINTER', ...terms, ...ended });
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      await open(page, '/discounts');
      await press(page, 'Check a code');
      const dialog = page.locator('.dialog');
      const check = async (code: string) => {
        await dialog.getByLabel('Code', { exact: true }).fill(code);
        await dialog.getByRole('button', { name: 'Check', exact: true }).click();
      };
      await check('winter');
      await dialog.getByText('The discount has ended').waitFor();
      await check('spring');
      await dialog.getByText('Spring: 25% off once. Redemptions: 0.').waitFor();
      expect(await dialog.getByText('The discount has ended').count()).toBe(0);
      await expectAccessible(page);
      await takeScreenshot(page, 'dashboard code check');
      await dialog.getByRole('link', { name: 'Spring' }).click();
      await heading(page, 'Spring');
    });
  },
  timeoutMs,
);

testInChromium(
  'the audit log is filtered and exported by times of the reader',
  async () => {
    const inNewYork = { ...desktop, timezoneId: 'America/New_York' };
    await visit(browser, inNewYork, async (page) => {
      await signIn(page);
      await open(page, '/audit-log');
      const all = page.getByRole('link', { name: 'Export all (NDJSON)' });
      expect(await all.getAttribute('href')).toBe('/dashboard/api/audit.ndjson');
      await page.getByLabel('From').fill('2026-02-28T10:00');
      await page.getByLabel('Until').fill('2026-08-01T00:05');
      const since = '2026-02-28T15%3A00%3A00.000Z';
      const until = '2026-08-01T04%3A05%3A00.000Z';
      const period = page.getByRole('link', { name: 'Export all of this period (NDJSON)' });
      await period.waitFor();
      const exported = `/dashboard/api/audit.ndjson?since=${since}&until=${until}`;
      await eventually(async () => {
        expect(await period.getAttribute('href')).toBe(exported);
        expect(new URL(page.url()).search).toBe(`?since=${since}&until=${until}`);
      });
      expect(await page.getByLabel('From').getAttribute('title')).toBe('2026-02-28 15:00:00 UTC');
      await page.reload();
      expect(await page.getByLabel('From').inputValue()).toBe('2026-02-28T10:00');
      await expectAccessible(page);
    });
  },
  timeoutMs,
);
