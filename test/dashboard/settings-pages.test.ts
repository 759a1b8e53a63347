import type { Browser, Page } from 'playwright-core';
import { desktop, phone, visit } from '../support/browser-visit';
import { ensureChromium } from '../support/chromium';
import { type PortalScene, usd } from '../support/portal-scene';
import { DashboardScene } from './dashboard-scene';
import { fillIn, look, pick, press, recordMessages, untilMessage } from './page-actions';

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

/** The page in the other widths and themes. */
async function lookAround(path: string, name: string): Promise<void> {
  const others = [
    ['in the dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' as const }],
    ['on a phone', phone],
    ['on a phone in the dark', { ...phone, colorScheme: 'dark' as const }],
  ] as const;
  for (const [looking, options] of others) {
    await visit(browser, options, async (page) => {
      await dashboard.signIn(page);
      await dashboard.open(page, path);
      await look(page, `${name} ${looking}`);
    });
  }
}

/** A sign-in link of the portal of a customer with ten seats on that product. */
async function subscribed(productId: string): Promise<string> {
  const customerId = await scene.customer({ name: 'Ada Lovelace' });
  await scene.create('/subscriptions', {
    ...{ customerId, productId, quantity: 10 },
    authorizedTransactionId: `txn_4242424242424242_${customerId}`,
  });
  return (await scene.create('/portal/sessions', { customerId })).url as string;
}

async function choosePlan(page: Page, name: string): Promise<void> {
  await pick(page, page.getByRole('combobox', { name: /^Add product/ }), name);
  await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
}

testInChromium(
  'an operator chooses the plans that customers may switch to, and customers switch to them alone',
  async () => {
    const seats = { ...usd, type: 'PER_UNIT' };
    const basic = (await scene.create('/products', { ...seats, name: 'Basic', amount: 1900 })).id;
    const pro = (await scene.create('/products', { ...seats, name: 'Pro', amount: 2900 })).id;
    await scene.create('/products', { ...seats, name: 'Secret', amount: 900 });
    const portal = await subscribed(basic as string);
    await visit(browser, { viewport: { width: 1440, height: 900 } }, async (page) => {
      await recordMessages(page);
      await dashboard.signIn(page);
      await dashboard.open(page, '/settings/portal');
      await look(page, 'settings portal without plans');
      await choosePlan(page, 'Basic');
      await choosePlan(page, 'Pro');
      await press(page, 'Remove Basic');
      await page.getByLabel('Customers may change the quantity').check();
      await press(page, 'Save');
      await untilMessage(page, 'Portal settings saved');
      await look(page, 'settings portal');
      expect(await scene.read('/portal/settings')).toMatchObject({
        products: [pro],
        quantity: true,
      });
      await page.reload();
      await page.getByText('$29.00 / unit / month').waitFor();
      expect(await page.getByLabel('Customers may change the quantity').isChecked()).toBe(true);
    });
    await lookAround('/settings/portal', 'settings portal');
    await visit(browser, desktop, async (page) => {
      await page.goto(portal);
      await page.getByRole('button', { name: 'Open the portal' }).click();
      await page.getByRole('link', { name: 'Change plan' }).click();
      await page.getByRole('radio', { name: 'Pro' }).waitFor();
      expect(await page.getByRole('radio', { name: 'Secret' }).count()).toBe(0);
      await page.getByLabel('Quantity').waitFor();
    });
  },
  timeoutMs,
);

testInChromium(
  'an operator gives a product a tax category, which its page and its form show',
  async () => {
    const rate = { country: 'DE', category: 'ebook', percent: '7', name: 'Books' };
    await scene.create('/tax-rates', rate);
    await visit(browser, { viewport: { width: 1440, height: 900 } }, async (page) => {
      await dashboard.signIn(page);
      await dashboard.open(page, '/products');
      await press(page, 'New product');
      const dialog = page.locator('.dialog');
      // The form suggests the categories of the seller's rates.
      const suggested = dialog.locator('datalist option[value="ebook"]');
      await suggested.waitFor({ state: 'attached' });
      await look(page, 'new product with a tax category');
      await dialog.getByLabel('Tax category').fill('E-Book');
      await dialog.getByLabel('Name', { exact: true }).fill('Handbook');
      await dialog.getByLabel('Amount').fill('19.00');
      await dialog.getByRole('button', { name: 'Create product' }).click();
      await dialog.locator('.field:has([name="taxCategory"]) .problem').waitFor();
      await dialog.getByLabel('Tax category').fill('ebook');
      await dialog.getByRole('button', { name: 'Create product' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Handbook' }).click();
      const facts = page.locator('.facts');
      await facts.getByText('ebook').waitFor();
      await look(page, 'product with a tax category');
      await press(page, 'Edit');
      expect(await dialog.getByLabel('Tax category').inputValue()).toBe('ebook');
      await dialog.getByLabel('Tax category').fill('');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await facts.getByText('standard').waitFor();
    });
    const { data } = await scene.read('/products');
    expect(data[0]).toMatchObject({ name: 'Handbook', taxCategory: 'standard', amount: 1900 });
  },
  timeoutMs,
);

testInChromium(
  'an owner renames the organization, and the audit log says so',
  async () => {
    await visit(browser, { viewport: { width: 1440, height: 900 } }, async (page) => {
      await dashboard.signIn(page);
      await dashboard.open(page, '/team');
      await press(page, 'Rename organization');
      const dialog = page.locator('.dialog');
      await dialog.getByLabel('Name').fill(' ');
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await dialog.locator('.problem', { hasText: 'Required' }).waitFor();
      await look(page, 'rename organization');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      const fields = { name: 'Ada Analytics' };
      await fillIn(page, { opener: 'Rename organization', confirm: 'Rename', fields });
      await page.locator('header').getByText('Ada Analytics').first().waitFor();
      await look(page, 'team of a renamed organization');
      await dashboard.open(page, '/audit-log');
      await page.getByText(/renamed the organization from .+ to Ada Analytics/).waitFor();
    });
    await lookAround('/team', 'team');
  },
  timeoutMs,
);
