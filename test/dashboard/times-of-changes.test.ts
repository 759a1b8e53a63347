import type { Browser, Page } from 'playwright-core';
import { desktop, visit } from '../support/browser-visit';
import { ensureChromium } from '../support/chromium';
import type { PortalScene } from '../support/portal-scene';
import { DashboardScene } from './dashboard-scene';
import { confirmDialog, heading, look, pick, press, pressInDialog } from './page-actions';

// Changes that wait for the first period start at or after a date and time.

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 300_000;

const time = '2026-03-10T00:00';
const at = '2026-03-10T00:00:00.000Z';
const start = /2026-03-31 [\d:]{8} UTC, the first period start at or after 2026-03-10 00:00:00 UTC/;

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

async function subscribe(name: string): Promise<any> {
  const customerId = await scene.customer({ email: `${name}@example.com`, name });
  const plan = { name: `Seats of ${name}`, type: 'PER_UNIT', amount: 1900 };
  return scene.subscribe(customerId, { plan, input: { quantity: 10 } });
}

async function chooseTime(page: Page, value: string): Promise<void> {
  const dialog = page.locator('.dialog');
  await dialog.locator('[name="when"]').selectOption({ label: 'From a date and time' });
  await dialog.locator('[name="at"]').fill(value);
}

testInChromium(
  'an operator schedules a plan change and a pause from a time on, and sees what each gives',
  async () => {
    const [changed, paused] = [await subscribe('Grace'), await subscribe('Edsger')];
    await visit(browser, desktop, async (page) => {
      const dialog = page.locator('.dialog');
      await dashboard.signIn(page);
      await dashboard.open(page, `/subscriptions/${String(changed.id)}`);
      await press(page, 'Change plan');
      await dialog.locator('[name="quantity"]').fill('5');
      await chooseTime(page, '');
      await pressInDialog(page, 'Review price');
      await dialog.locator('.problem', { hasText: 'Required' }).waitFor();
      await chooseTime(page, '2020-01-01T00:00');
      await pressInDialog(page, 'Review price');
      await dialog.locator('.problem', { hasText: 'Must be ahead' }).waitFor();
      await chooseTime(page, time);
      await look(page, 'change from a time on');
      await pressInDialog(page, 'Review price');
      await dialog.getByText(start).waitFor();
      await dialog.getByText('Amount a month: $190.00 → $95.00.').waitFor();
      await look(page, 'preview of a change from a time on');
      await confirmDialog(page, 'Schedule change');
      const waiting = page.locator('.panel', { hasText: 'Scheduled change' });
      await waiting.getByText('Not before').waitFor();
      await dashboard.open(page, `/subscriptions/${String(paused.id)}`);
      await press(page, 'Pause');
      await chooseTime(page, time);
      await pressInDialog(page, 'Review');
      await dialog.getByText('The pause begins on').waitFor();
      await dialog.getByText(start).waitFor();
      await confirmDialog(page, 'Schedule pause');
      await page.locator('.panel', { hasText: 'Scheduled pause' }).waitFor();
    });
    for (const [{ id }, kind] of [
      [changed, 'UPDATE'],
      [paused, 'PAUSE'],
    ] as const) {
      expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({
        pendingChange: { kind, at, effectiveAt: expect.stringMatching(/^2026-03-31/) },
      });
    }
  },
  timeoutMs,
);

testInChromium(
  'an operator tries a price migration from a time on as a dry run',
  async () => {
    const { items } = await subscribe('Ada');
    const { name } = await scene.create('/products', {
      ...{ name: 'Seats of 2027', type: 'PER_UNIT', currency: 'USD' },
      ...{ amount: 2100, billingInterval: 'MONTHLY' },
    });
    await visit(browser, desktop, async (page) => {
      const dialog = page.locator('.dialog');
      await dashboard.signIn(page);
      await dashboard.open(page, '/price-migrations');
      await press(page, 'New migration');
      await dialog.locator('[name="fromPriceId"]').selectOption(items[0].priceId);
      const picker = dialog.locator('.field:has(> input[name="toPriceId"]) > .picker');
      await pick(page, picker, name);
      await chooseTime(page, time);
      await look(page, 'price migration from a time on');
      await confirmDialog(page, 'Start');
      await heading(page, 'Dry run of a price migration');
      await page.locator('.facts').getByText('Not before').waitFor();
      await page.locator('.badge', { hasText: 'Complete' }).waitFor();
      await page.getByRole('row').getByText('$190.00 → $210.00').waitFor();
      await look(page, 'price migration from a time on, its dry run');
    });
    expect((await scene.read('/price-migrations')).data).toMatchObject([{ at, dryRun: true }]);
  },
  timeoutMs,
);
