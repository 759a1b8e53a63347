import type { Browser, Page } from 'playwright-core';
import { eventually } from '@billing/chassis/testing';
import { desktop, expectAccessible, phone, visit } from '../support/browser-visit';
import { ensureChromium } from '../support/chromium';
import { PersistentClient } from '../support/persistent-client';
import { authorization, type PortalScene, usd } from '../support/portal-scene';
import { DashboardScene } from './dashboard-scene';
import { confirmDialog, heading, look, pick, press, pressInDialog } from './page-actions';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;
const searches = '**/dashboard/api/search?*';

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

/** Opens a page of the sandbox as its owner. */
const onPage = async (
  path: string,
  work: (page: Page) => Promise<void>,
  options: object = desktop,
) =>
  visit(browser, options, async (page) => {
    await dashboard.signIn(page);
    await dashboard.open(page, path);
    await work(page);
  });

testInChromium(
  'a price form keeps the price per unit while tiers are chosen',
  async () => {
    await onPage('/products', async (page) => {
      await press(page, 'New product');
      const dialog = page.locator('.dialog');
      const model = dialog.getByLabel('Pricing model');
      await model.selectOption({ label: 'Per unit' });
      await dialog.getByLabel('Name', { exact: true }).fill('Seats');
      await dialog.getByLabel('Amount').fill('19.00');
      await dialog.getByText('150 units: $2,850.00').waitFor();
      await model.selectOption({ label: 'Graduated tiers' });
      await dialog.getByLabel('Tier 1: price per unit').fill('8');
      await dialog.getByLabel('Amount').waitFor({ state: 'hidden' });
      await model.selectOption({ label: 'Per unit' });
      expect(await dialog.getByLabel('Amount').inputValue()).toBe('19.00');
      await dialog.getByText('150 units: $2,850.00').waitFor();
      await model.selectOption({ label: 'Graduated tiers' });
      expect(await dialog.getByLabel('Tier 1: price per unit').inputValue()).toBe('8');
      await model.selectOption({ label: 'Per unit' });
      await confirmDialog(page, 'Create product');
    });
    const { data } = await scene.read('/products');
    expect(data).toMatchObject([{ name: 'Seats', type: 'PER_UNIT', amount: 1900, tiers: null }]);
  },
  timeoutMs,
);

testInChromium(
  'the form of a usage price keeps the size of a package while another model is chosen',
  async () => {
    const { id } = await scene.create('/products', { ...usd, name: 'Metered' });
    await scene.create('/meters', { name: 'Messages', unit: 'messages' });
    await onPage(`/products/${String(id)}`, async (page) => {
      await press(page, 'Add usage price');
      const dialog = page.locator('.dialog');
      const model = dialog.getByLabel('Pricing model');
      await model.selectOption({ label: 'Per package' });
      await dialog.getByLabel('Price per package').fill('0.25');
      await dialog.getByLabel('Units per package').fill('100');
      for (const other of ['Volume tiers', 'Per unit']) {
        await model.selectOption({ label: other });
        await dialog.getByLabel('Units per package').waitFor({ state: 'hidden' });
        await model.selectOption({ label: 'Per package' });
        expect(await dialog.getByLabel('Price per package').inputValue()).toBe('0.25');
        expect(await dialog.getByLabel('Units per package').inputValue()).toBe('100');
      }
      await model.selectOption({ label: 'Per unit' });
      await confirmDialog(page, 'Save price');
      await page.getByText('$0.25 / unit').waitFor();
    });
  },
  timeoutMs,
);

testInChromium(
  'a failed search of a picker is retried with a button',
  async () => {
    await scene.customer({ email: 'hedy@example.com', name: 'Hedy' });
    const work = async (page: Page) => {
      const filter = page.getByRole('combobox', { name: 'Customer: All' });
      const refuse = '**/v1/customers?*';
      for (const path of [refuse, searches]) {
        await page.route(path, (route) => route.fulfill({ status: 500, json: { error: 'Fault' } }));
      }
      await filter.click();
      const retry = page.getByRole('button', { name: 'Try again' });
      await page.getByText('The customers could not be loaded').waitFor();
      await look(page, 'picker without choices');
      await page.unroute(refuse);
      await retry.click();
      await page.getByRole('option', { name: /Hedy/ }).waitFor();
      await retry.waitFor({ state: 'detached' });
      // The search field has the focus again.
      await page.keyboard.type('hed');
      await page.getByText('The customers could not be loaded').waitFor();
      await page.unroute(searches);
      await page.keyboard.press('Tab');
      await retry.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('option', { name: /Hedy/ }).click();
      await page.getByRole('combobox', { name: 'Customer: Hedy' }).waitFor();
      await expectAccessible(page);
    };
    await onPage('/invoices', work);
    await onPage('/invoices', work, { ...phone, colorScheme: 'dark' });
  },
  timeoutMs,
);

testInChromium(
  'a picker of products finds an active one behind a hundred archived ones of its name',
  async () => {
    const client = new PersistentClient(scene.api);
    for (let batch = 0; batch < 30; batch += 1) {
      const archived = Array.from({ length: 4 }, async () => {
        const { id } = await client.post(201, '/products', { ...usd, name: 'Hosting' });
        await client.patch(`/products/${String(id)}`, { active: false });
      });
      await Promise.all(archived);
    }
    await scene.create('/products', { ...usd, name: 'Hosting' });
    await onPage('/subscriptions', async (page) => {
      await press(page, 'New subscription');
      const picker = page.locator('.field:has(> input[name="productId"]) > .picker');
      await picker.click();
      await page.getByRole('combobox', { name: 'Find products' }).fill('hosting');
      await page.getByRole('option', { name: /Hosting/ }).waitFor();
    });
  },
  timeoutMs,
);

testInChromium(
  'the subscription filter of a customer searches the subscriptions of this customer',
  async () => {
    const plan = { name: 'Backup' };
    const mine = await scene.customer({ email: 'joan@example.com', name: 'Joan' });
    await scene.subscribe(mine, { plan });
    for (let number = 0; number < 3; number += 1) {
      await scene.subscribe(await scene.customer({ name: 'Rival' }), { plan });
    }
    await onPage(`/invoices?customerId=${mine}`, async (page) => {
      await page.getByRole('combobox', { name: 'Subscription: All' }).click();
      const field = page.getByRole('combobox', { name: /^Find subscriptions/ });
      const searched = page.waitForResponse(/\/dashboard\/api\/search\?.*q=backup/);
      await field.fill('backup');
      const found = (await (await searched).json()) as { results: readonly { detail: string }[] };
      expect(found.results.map(({ detail }) => detail)).toEqual(['Joan · Active']);
      await page.getByRole('option', { name: /Backup/ }).waitFor();
    });
  },
  timeoutMs,
);

testInChromium(
  'an operator adds an item to a subscription for the price of its preview',
  async () => {
    const plan = { name: 'Office', type: 'PER_UNIT', amount: 1900 };
    const support = await scene.create('/products', {
      ...{ ...usd, name: 'Hotline', type: 'PER_UNIT', amount: 500 },
    });
    const buyer = await scene.customer({ email: 'kay@example.com', name: 'Kay' });
    const { id, productId } = await scene.subscribe(buyer, {
      ...{ plan, input: { quantity: 10, authorizedTransactionId: authorization() } },
    });
    await onPage(`/subscriptions/${String(id)}`, async (page) => {
      const dialog = page.locator('.dialog');
      await press(page, 'Change plan');
      await dialog.locator('[name="quantity"]').fill('12');
      await pressInDialog(page, 'Add item');
      expect(await dialog.locator('[name="items.0.quantity"]').inputValue()).toBe('12');
      await dialog.locator('[name="items.0.quantity"]').fill('10');
      await pressInDialog(page, 'Review price');
      await dialog.locator('.field:has([name="items.1.productId"]) .problem').waitFor();
      await look(page, 'added item refused');
      const picker = dialog.locator('.field:has(> input[name="items.1.productId"]) > .picker');
      await pick(page, picker, 'Hotline');
      await dialog.locator('[name="items.1.quantity"]').fill('3');
      await look(page, 'added item');
      await review(page, '$15.00 is charged today. The change takes effect now.');
      await look(page, 'preview of an added item');
      // The form has the added item again, which can be taken out.
      await pressInDialog(page, 'Back');
      await dialog.getByRole('button', { name: 'Remove item 2' }).click();
      await pressInDialog(page, 'Add item');
      await pick(page, picker, 'Hotline');
      await review(page, '$5.00 is charged today.');
      await confirmDialog(page, 'Charge $5.00 and change');
    });
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({
      items: [
        { productId, quantity: 10 },
        { productId: support.id, quantity: 1 },
      ],
    });
  },
  timeoutMs,
);

testInChromium(
  'an operator starts a subscription with several items, of one billing interval',
  async () => {
    const product = async (name: string, terms: object): Promise<string> =>
      (await scene.create('/products', { ...usd, type: 'PER_UNIT', name, ...terms })).id;
    const seats = await product('Desk monthly', { amount: 1900 });
    const lamp = await product('Lamp monthly', { amount: 500 });
    await product('Lamp yearly', { amount: 5000, billingInterval: 'YEARLY' });
    await product('Desk yearly', { amount: 19000, billingInterval: 'YEARLY' });
    const customerId = await scene.customer({ email: 'mary@example.com', name: 'Mary' });
    await onPage('/subscriptions', async (page) => {
      const dialog = page.locator('.dialog');
      const pickerOf = (name: string) =>
        dialog.locator(`.field:has(> input[name="${name}"]) > .picker`);
      await press(page, 'New subscription');
      await pick(page, pickerOf('customerId'), 'Mary');
      await pick(page, pickerOf('productId'), 'Desk yearly');
      await pick(page, pickerOf('productId'), 'Desk monthly');
      await dialog.locator('[name="quantity"]').fill('10');
      await pressInDialog(page, 'Add item');
      // Only prices of the first item's interval are offered, and no product twice.
      const second = pickerOf('items.1.productId');
      await second.click();
      const field = page.getByRole('combobox', { name: 'Find products' });
      await field.fill('lamp');
      await eventually(async () => {
        const offered = await page.getByRole('listbox').getByRole('option').allTextContents();
        expect(offered).toEqual(['Lamp monthly$5.00 / unit / month']);
      });
      await field.fill('desk');
      await page.getByText('No products found').waitFor();
      await page.keyboard.press('Escape');
      await pick(page, second, 'Lamp monthly');
      // Another interval of the first item is said at the second one at once.
      await pick(page, pickerOf('items.0.productId'), 'Desk yearly');
      const problem = dialog.locator('.field:has([name="items.1.productId"]) .problem');
      await problem.getByText('Must be billed every year, like item 1').waitFor();
      await look(page, 'item of another interval');
      await pick(page, pickerOf('items.0.productId'), 'Desk monthly');
      await problem.waitFor({ state: 'detached' });
      await look(page, 'new subscription of several items');
      await review(page, '$195.00 is due today. The subscription starts now.');
      await look(page, 'preview of a subscription of several items');
      // The form has all that was chosen.
      await pressInDialog(page, 'Back');
      await dialog.getByRole('combobox', { name: 'Mary' }).waitFor();
      await dialog.locator('[name="items.1.quantity"]').fill('2');
      await review(page, '$200.00 is due today.');
      await confirmDialog(page, 'Create subscription');
      await heading(page, 'Subscription of Mary');
    });
    expect(await scene.read(`/subscriptions?customerId=${customerId}`)).toMatchObject({
      data: [
        {
          items: [
            { productId: seats, quantity: 10 },
            { productId: lamp, quantity: 2 },
          ],
        },
      ],
    });
  },
  timeoutMs,
);

/** Asks for the price of a change, again if a busy system has refused it. */
async function review(page: Page, text: string): Promise<void> {
  const dialog = page.locator('.dialog');
  const button = dialog.getByRole('button', { name: 'Review price', exact: true });
  await eventually(async () => {
    if ((await button.count()) === 1) await button.click();
    await dialog.getByText(text).waitFor({ timeout: 15_000 });
  });
}
