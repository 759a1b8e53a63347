import { eventually } from '@billing/chassis/testing';
import type { Browser, Page } from 'playwright-core';
import { desktop, visit } from '../support/browser-visit';
import { ensureChromium } from '../support/chromium';
import type { PortalScene } from '../support/portal-scene';
import { DashboardScene } from './dashboard-scene';
import { confirmDialog, heading, look, pick, press, pressInDialog } from './page-actions';

// Changes that wait for the first period start at or after a date and time.

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

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
  await dialog.locator('[name="when"]').selectOption({ label: 'Not before a date and time' });
  await dialog.locator('[name="at"]').fill(value);
}

/** The browser leaves out seconds of 0. */
async function expectTyped(page: Page, value: string): Promise<void> {
  const typed = await page.locator('.dialog [name="at"]').inputValue();
  expect(typed.slice(0, value.length)).toBe(value);
}

async function untilFocusIsInDialog(page: Page): Promise<void> {
  const isInDialog = "document.querySelector('.dialog')?.contains(document.activeElement)";
  // The policy of the page lets no function be polled within it.
  await eventually(async () => {
    expect(await page.evaluate(isInDialog)).toBe(true);
  });
}

async function reviewAndGoBack(page: Page): Promise<void> {
  await pressInDialog(page, 'Review price');
  await page.locator('.dialog').getByText(start).waitFor();
  await untilFocusIsInDialog(page);
  await pressInDialog(page, 'Back');
  await page.locator('.dialog [name="at"]').waitFor();
  await untilFocusIsInDialog(page);
  await expectTyped(page, time);
}

/** A second preview that is refused shows its problem at the field of the form. */
async function refuseSecondPreview(page: Page): Promise<void> {
  const dialog = page.locator('.dialog');
  const [changes, previews] = [/\/changes$/, /\/v1\/previews$/];
  await page.route(changes, (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const headers = { 'Error-Code': 'preview_stale' };
    return route.fulfill({ status: 409, headers, json: { error: 'Preview is stale: time' } });
  });
  await page.route(previews, (route) =>
    route.fulfill({ status: 400, json: { error: { change: ['at: Must be ahead'] } } }),
  );
  await pressInDialog(page, 'Schedule change');
  await dialog.locator('.field:has([name="at"]) .problem', { hasText: 'Must be ahead' }).waitFor();
  await untilFocusIsInDialog(page);
  await expectTyped(page, time);
  await page.unroute(changes);
  await page.unroute(previews);
}

/** A resume time with only its month typed is refused, not left out. */
async function typeResume(page: Page, value: string): Promise<void> {
  const dialog = page.locator('.dialog');
  await dialog.locator('[name="resumeAt"]').focus();
  await page.keyboard.type('05');
  await pressInDialog(page, 'Review');
  await dialog.locator('.problem', { hasText: 'Must be a complete date and time' }).waitFor();
  await dialog.locator('[name="resumeAt"]').fill(value);
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
      await dialog.locator('[name="when"]').selectOption({ label: 'At period end' });
      await dialog.locator('[name="when"]').selectOption({ label: 'Not before a date and time' });
      await expectTyped(page, time);
      await look(page, 'change from a time on');
      await reviewAndGoBack(page);
      await pressInDialog(page, 'Review price');
      await dialog.getByText(start).waitFor();
      await refuseSecondPreview(page);
      await pressInDialog(page, 'Review price');
      await dialog.getByText('Amount a month: $190.00 → $95.00.').waitFor();
      await look(page, 'preview of a change from a time on');
      await confirmDialog(page, 'Schedule change');
      const waiting = page.locator('.panel', { hasText: 'Scheduled change' });
      await waiting.getByText('Not before').waitFor();
      await dashboard.open(page, `/subscriptions/${String(paused.id)}`);
      await press(page, 'Pause');
      await chooseTime(page, time);
      await typeResume(page, '2026-05-10T00:00');
      await pressInDialog(page, 'Review');
      await dialog.getByText('The pause begins on').waitFor();
      await dialog.getByText(start).waitFor();
      await dialog.getByText(`until then. It ends on 2026-05-10 00:00:00 UTC.`).waitFor();
      await confirmDialog(page, 'Schedule pause');
      await page.locator('.panel', { hasText: 'Scheduled pause' }).waitFor();
    });
    for (const [{ id }, kind, resumeAt] of [
      [changed, 'UPDATE', null],
      [paused, 'PAUSE', '2026-05-10T00:00:00.000Z'],
    ] as const) {
      expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({
        pendingChange: { kind, at, effectiveAt: expect.stringMatching(/^2026-03-31/), resumeAt },
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
      const notBefore = page.locator('.facts > div', { hasText: 'Not before' });
      await notBefore.getByText('2026-03-10 00:00:00 UTC').waitFor();
      await page.locator('.badge', { hasText: 'Complete' }).waitFor();
      const row = page.getByRole('row', { name: '$190.00 → $210.00' });
      await row.getByText(/^2026-03-31 [\d:]{8} UTC$/).waitFor();
      await look(page, 'price migration from a time on, its dry run');
    });
    expect((await scene.read('/price-migrations')).data).toMatchObject([{ at, dryRun: true }]);
  },
  timeoutMs,
);

testInChromium(
  'an operator advances the clock, sees what was billed, and advances it again while leaving',
  async () => {
    await subscribe('Barbara');
    await visit(browser, desktop, async (page) => {
      // The page waits 2 s for the feed, which a busy machine may need longer for.
      await page.addInitScript(
        'const { timeout } = AbortSignal; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, 10 * ms);',
      );
      await dashboard.signIn(page);
      const [, , environmentId = ''] = new URL(page.url()).pathname.split('/');
      await dashboard.open(page, `/developers/sandboxes/${environmentId}`);
      await press(page, 'Advance clock');
      await page.getByRole('status').filter({ hasText: 'Advanced to 2026-02-28' }).waitFor();
      await page.getByText(/^\d+ renewals?, \d+ paid invoices?/).waitFor();
      // The feed does not answer, so the advance is sent after the page is left.
      await page.route(/\/v1\/webhook-events/, () => undefined);
      const read = page.waitForRequest(/\/v1\/webhook-events\?limit=1$/);
      const sent = page.waitForResponse(
        (response) => response.request().method() === 'POST' && /advance$/.test(response.url()),
        { timeout: 200_000 },
      );
      await press(page, 'Advance clock');
      await read;
      await page.getByRole('link', { name: 'Customers', exact: true }).click();
      await heading(page, 'Customers');
      expect((await sent).status()).toBe(200);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });
    expect((await scene.read('/sandboxes/clock')).now).toMatch(/^2026-03-28/);
  },
  timeoutMs,
);
