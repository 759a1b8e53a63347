import type { Browser, Page } from 'playwright-core';
import { desktop, expectAccessible, phone, takeScreenshot, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { OperatorClient, password } from '../support/operator-client';
import { authorization, numbers, PortalScene, usd } from '../support/portal-scene';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { confirmDialog, fillIn, heading, pick, press } from './page-actions';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 180_000;

let system: OwnTestSystem;
let browser: Browser;
let scene: PortalScene;
/** URL of the dashboard of the scene's sandbox. */
let place: string;

beforeAll(async () => {
  if (program === undefined) return;
  system = await startTestSystem({ ownProcess: true });
  browser = await launchChromium(program);
  const owner = await OperatorClient.owner(system);
  scene = await PortalScene.begin(system);
  const { data } = (await owner.api('GET', '/environments')).body;
  const { id } = data.find(({ name }: { name: string | null }) => name === 'test');
  place = `${system.gatewayUrl}/dashboard/${String(id)}`;
}, timeoutMs);

afterAll(async () => {
  if (program === undefined) return;
  await browser.close();
  await system.stop();
});

const badge = (page: Page, text: string) =>
  page.locator('.page-head .badge', { hasText: text }).waitFor();

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${place}${path}`);
  await heading(page, /./);
}

async function signIn(page: Page): Promise<void> {
  await page.goto(place);
  await page.getByLabel('Email').fill('owner@example.com');
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
  await page.getByText('Sandbox time:').waitFor();
}

testInChromium(
  'an operator creates a customer and a subscription, collects its invoice, and cancels the subscription',
  async () => {
    await scene.create('/products', { ...usd, name: 'Team' });
    const meter = { name: 'API calls', unit: 'calls' };
    await scene.create('/meters', meter);
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      await createTieredProduct(page);
      await page.getByRole('link', { name: 'Customers', exact: true }).click();
      await heading(page, 'Customers');
      await page.getByText('No customers yet').waitFor();
      await createCustomer(page);
      await startSubscription(page);
      await collect(page);
      await endSubscription(page);
    });
  },
  timeoutMs,
);

/** Tiers are typed in dollars, with a preview by the rules that bill them. */
async function createTieredProduct(page: Page): Promise<void> {
  await open(page, '/products');
  await press(page, 'New product');
  const dialog = page.locator('.dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Storage');
  await dialog.getByLabel('Pricing model').selectOption({ label: 'Graduated tiers' });
  await dialog.getByLabel('Tier 1: price per unit').fill('8');
  await dialog.getByLabel('Tier 2: price per unit').fill('3.00');
  await dialog.getByLabel('Tier 2: flat fee').fill('45');
  await dialog.getByText('150 units: $545.00').waitFor();
  await dialog.getByRole('button', { name: 'Add tier' }).click();
  await dialog.getByLabel('Tier 2: to').fill('5');
  await expectAccessible(page);
  await takeScreenshot(page, 'dashboard tiers');
  await dialog.getByRole('button', { name: 'Create product' }).click();
  await dialog.locator('.problem').first().waitFor();
  await dialog.getByRole('button', { name: 'Remove tier 2' }).click();
  await confirmDialog(page, 'Create product');
  await page.getByRole('link', { name: 'Storage' }).click();
  await heading(page, 'Storage');
  await fillIn(page, { opener: 'Edit', confirm: 'Save', fields: { lookupKey: 'storage' } });
  await page.locator('code', { hasText: 'storage' }).waitFor();
  const usage = { unitAmount: '0.005', minimumAmount: '5', maximumAmount: '50' };
  await fillIn(page, { opener: 'Add usage price', confirm: 'Save price', fields: usage });
  const row = page.getByRole('row', { name: /API calls/ });
  await row.getByText('$0.005 / unit').waitFor();
  await row.getByText('$50.00').waitFor();
  const [{ tiers, meterPrices }] = (await scene.read('/products?lookupKey=storage')).data;
  expect(tiers).toEqual([
    { upTo: '10', unitAmount: '800', flatAmount: '0' },
    { upTo: null, unitAmount: '300', flatAmount: '4500' },
  ]);
  expect(meterPrices).toMatchObject([
    { unitAmount: '0.5', minimumAmount: 500, maximumAmount: 5_000 },
  ]);
  await takeScreenshot(page, 'dashboard product');
}

async function createCustomer(page: Page): Promise<void> {
  await press(page, 'New customer');
  await page.locator('.dialog').locator('[name=email]').fill('malformed');
  await page.locator('.dialog').getByRole('button', { name: 'Create customer' }).click();
  await page.locator('.dialog').locator('.problem', { hasText: 'Invalid email' }).waitFor();
  await page.keyboard.press('Escape');
  await fillIn(page, {
    opener: 'New customer',
    confirm: 'Create customer',
    fields: {
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      externalId: 'user-7',
      'address.city': 'Ulm',
    },
  });
  await heading(page, 'Ada Lovelace');
  await fillIn(page, { opener: 'Edit', confirm: 'Save', fields: { phone: '+49 731 1' } });
  await page.getByText('+49 731 1').waitFor();
  const metadata = { metadata: 'team: research\nseats: 3' };
  await fillIn(page, { opener: 'Edit metadata', confirm: 'Save', fields: metadata });
  await page.getByRole('cell', { name: 'research' }).waitFor();
  const credits = { meterId: 'API calls (calls)', amount: '2500', name: 'To try it out' };
  await fillIn(page, { opener: 'Grant credits', confirm: 'Grant credits', fields: credits });
  await page.getByRole('cell', { name: 'To try it out' }).waitFor();
  const adjusted = { amount: '5.50', description: 'Goodwill' };
  const balance = { opener: 'Adjust balance', confirm: 'Adjust balance' };
  await fillIn(page, { ...balance, fields: adjusted });
  await page.getByRole('cell', { name: '$5.50 added to the balance: Goodwill' }).waitFor();
  const feed = page.getByRole('list', { name: 'Activity' });
  await feed.getByText('$5.50 added to the balance: Goodwill').waitFor();
  await feed.getByText(/changed the phone of customer/).waitFor();
  const taken = { direction: 'Take: you owe the customer less', amount: '5.50' };
  await fillIn(page, { ...balance, fields: { ...taken, description: 'Undone' } });
  await feed.getByText('$5.50 taken from the balance: Undone').waitFor();
  const { data } = await scene.read('/customers?externalId=user-7');
  expect(data).toMatchObject([
    { phone: '+49 731 1', address: { city: 'Ulm' }, metadata: { team: 'research', seats: 3 } },
  ]);
}

async function startSubscription(page: Page): Promise<void> {
  await fillIn(page, {
    opener: 'New subscription',
    confirm: 'Create subscription',
    fields: {
      productId: 'Team',
      authorizedTransactionId: authorization(numbers.declined),
    },
  });
  await heading(page, 'Subscription of Ada Lovelace');
  await badge(page, 'past due');
  await page.locator('.timeline-tick').first().waitFor();
  await page.locator('summary', { hasText: 'Show as table' }).first().click();
  await page.getByText('Charge of $29.00 for INV-000001 failed: card declined').waitFor();
  await takeScreenshot(page, 'dashboard past due');
}

async function collect(page: Page): Promise<void> {
  await page.locator('a.number', { hasText: 'INV-000001' }).click();
  await heading(page, 'INV-000001');
  const charge = (cardNumber: string) => ({
    opener: 'Charge now',
    confirm: 'Charge now',
    fields: { authorizedTransactionId: authorization(cardNumber) },
  });
  await fillIn(page, charge(numbers.declined));
  await page.getByText('Payment failed: card declined.').waitFor();
  await expectAccessible(page);
  await fillIn(page, charge(numbers.good));
  await badge(page, 'paid');
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'PDF')]);
  expect(download.suggestedFilename()).toBe('INV-000001.pdf');
}

async function endSubscription(page: Page): Promise<void> {
  await page.locator('.facts a[href*="/subscriptions/"]').click();
  await heading(page, 'Subscription of Ada Lovelace');
  await badge(page, 'active');
  await fillIn(page, { opener: 'Cancel', confirm: 'Cancel subscription' });
  await page.getByText('Ends on Feb 28, 2026').waitFor();
  await fillIn(page, { opener: 'Undo cancellation', confirm: 'Undo cancellation' });
  await page.getByText('Renews on Feb 28, 2026').waitFor();
  await fillIn(page, {
    opener: 'Cancel',
    confirm: 'Cancel subscription',
    fields: { when: 'Immediately' },
  });
  await badge(page, 'canceled');
  await page.locator('.facts a[href*="/customers/"]').click();
  await heading(page, 'Ada Lovelace');
  const owed = page.locator('.figure', { hasText: 'Owes' });
  await owed.getByText('Nothing open').waitFor();
  await page.locator('.figure', { hasText: 'Paid' }).getByText('$29.00').waitFor();
  const feed = page.getByRole('list', { name: 'Activity' });
  await page.getByLabel('Show').selectOption({ label: 'Invoices and payments' });
  await feed
    .getByText(/Payment of \$29\.00 for INV-000001 failed: card declined/)
    .first()
    .waitFor();
  await feed.getByText('Paid $29.00 for INV-000001').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'dashboard customer');
  await press(page, 'Portal link');
  await page.locator('.dialog').getByRole('button', { name: 'Create link' }).click();
  const url = await page.getByRole('region', { name: 'portal link' }).textContent();
  expect((await fetch(url ?? '')).status).toBe(200);
}

testInChromium(
  'the figures of the home page match the lists that they link to, and the revenue page shows MRR',
  async () => {
    const customerId = await scene.customer({ email: 'bob@example.com', name: null });
    await scene.subscribe(customerId);
    await scene.subscribe(customerId, { plan: { trialDays: 14 } });
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
  const calls: string[] = [];
  const record = (request: { url: () => string }) => {
    const { pathname } = new URL(request.url());
    const isCall = /^\/(v1|dashboard\/api)\//.test(pathname);
    if (isCall && !frameCalls.includes(pathname)) calls.push(pathname);
  };
  // Ends the calls of the page before.
  await page.goto('about:blank');
  page.on('request', record);
  await open(page, path);
  await page.locator('.skeleton-line').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  page.off('request', record);
  return calls;
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
      expect(calls.filter((path) => path.includes('customers'))).toEqual(['/v1/customers']);
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
    });
  },
  timeoutMs,
);

testInChromium(
  'an operator creates a checkout link, deactivates it, and activates it again',
  async () => {
    const { id: productId } = await scene.create('/products', { ...usd, name: 'Solo' });
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

      const sessions = page.getByRole('region', { name: 'Checkout sessions' });
      await sessions.getByRole('row', { name: /Ada Solo .* Open/ }).waitFor();
      await page.getByLabel('Status').first().selectOption('Complete');
      await page.getByText('No sessions found').waitFor();
      await press(page, 'Clear filters');
      await sessions.getByRole('link', { name: 'Solo' }).waitFor();
      await press(page, 'Sessions');
      await page.getByText('No sessions found').waitFor();
      await expectAccessible(page);
    });
  },
  timeoutMs,
);
