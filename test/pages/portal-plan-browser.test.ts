import type { Browser, Page } from 'playwright-core';
import {
  desktop,
  expectAccessible,
  expectToFit,
  takeScreenshot,
  viewports,
  visit,
} from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { numbers, PortalScene, usd } from '../support/portal-scene';
import { joinTestSystem } from '../support/shared-system';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

let scene: PortalScene;
let browser: Browser;
let productId: string;

beforeAll(async () => {
  if (program === undefined) return;
  scene = await PortalScene.begin(await joinTestSystem());
  const seats = { ...usd, type: 'PER_UNIT' };
  productId = (await scene.create('/products', { ...seats, name: 'Basic', amount: 1900 })).id;
  const { id: pro } = await scene.create('/products', { ...seats, name: 'Pro', amount: 2900 });
  const body = { products: [pro], quantity: true };
  await scene.api.expect(200, scene.api.request('PATCH', '/portal/settings', { body }));
  browser = await launchChromium(program);
}, timeoutMs);

afterAll(async () => {
  if (program === undefined) return;
  await browser.close();
});

/** A customer with ten seats on Basic, and the sign-in link of their portal. */
async function customerWith(cardNumber: string) {
  const customerId = await scene.customer({ name: 'Ada Lovelace' });
  const { id } = await scene.create('/subscriptions', {
    ...{ customerId, productId, quantity: 10 },
    authorizedTransactionId: `txn_${cardNumber}_${customerId}`,
  });
  const { url } = await scene.create('/portal/sessions', { customerId });
  return { id: String(id), url: String(url) };
}

type Look = (name: string) => Promise<void>;

async function choose(page: Page, { plan, quantity }: { plan?: string; quantity?: string }) {
  if (plan !== undefined) await page.getByRole('radio', { name: plan }).check();
  if (quantity !== undefined) await page.getByLabel('Quantity').fill(quantity);
  await page.getByRole('button', { name: 'Review change' }).click();
  await page.getByRole('heading', { level: 1, name: 'Review your change' }).waitFor();
}

async function openPlans(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Change plan' }).click();
  await page.getByRole('heading', { level: 1, name: 'Change your plan' }).waitFor();
}

/** An upgrade whose price changes before it is confirmed, and then a downgrade that is undone. */
async function changePlans(page: Page, look: Look): Promise<void> {
  const { id, url } = await customerWith(numbers.good);
  await page.goto(url);
  await page.getByRole('button', { name: 'Open the portal' }).click();
  await openPlans(page);
  await look('plans');
  await choose(page, { plan: 'Pro', quantity: '12' });
  await row(page, 'Due today', '$158.00');
  await row(page, 'Next invoice', '$348.00 on February 28, 2026');
  await look('review of an upgrade');
  await scene.create(`/subscriptions/${id}/changes`, { quantity: 11 });
  await page.getByRole('button', { name: 'Pay $158.00 and change plan' }).click();
  await page.getByText('The price has changed since you looked.').waitFor();
  await row(page, 'Due today', '$139.00');
  await look('review that has become stale');
  await page.getByRole('button', { name: 'Pay $139.00 and change plan' }).click();
  await page.getByText('Your plan was changed.').waitFor();
  await look('changed plan');
  await openPlans(page);
  await choose(page, { quantity: '3' });
  await row(page, 'Due today', '$0.00');
  await row(page, 'Next invoice', '$87.00 on February 28, 2026');
  await look('review of a downgrade');
  await page.getByRole('button', { name: 'Confirm change' }).click();
  await page.getByText('Your plan will change when the current period ends.').waitFor();
  await page.getByText('Changes to Pro, 3 × $29.00 every month, on February 28, 2026.').waitFor();
  await look('waiting change');
  await page.getByRole('button', { name: 'Keep current plan' }).click();
  await page.getByText('You keep your current plan.').waitFor();
}

async function declineChange(page: Page, look: Look): Promise<void> {
  const { url } = await customerWith(numbers.failsWhenSaved);
  await page.goto(url);
  await page.getByRole('button', { name: 'Open the portal' }).click();
  await openPlans(page);
  await choose(page, { plan: 'Pro' });
  await page.getByRole('button', { name: 'Pay $100.00 and change plan' }).click();
  await page.getByText('Your card was declined. Your plan has not changed.').waitFor();
  await look('declined change');
}

/** What a term of the review says, such as what is due today. */
async function row(page: Page, term: string, text: string): Promise<void> {
  const described = page.locator('dt', { hasText: term }).locator('xpath=following-sibling::dd[1]');
  await described.filter({ hasText: text }).waitFor();
}

describe.each(viewports)('a change of plan %s', (looking, options) => {
  testInChromium(
    'shows what is due today and next, without JavaScript (needs Chromium)',
    async () => {
      await visit(browser, { ...options, javaScriptEnabled: false }, async (page, context) => {
        const look = async (name: string) => {
          await expectToFit(page);
          await takeScreenshot(page, `portal ${name} ${looking}`);
        };
        await changePlans(page, look);
        await context.clearCookies();
        await declineChange(page, look);
      });
    },
    timeoutMs,
  );
});

testInChromium.each(['light', 'dark'] as const)(
  'a change of plan is accessible on every page in the %s scheme (needs Chromium)',
  async (colorScheme) => {
    await visit(browser, { ...desktop, colorScheme }, async (page, context) => {
      const look = () => expectAccessible(page);
      await changePlans(page, look);
      await context.clearCookies();
      await declineChange(page, look);
    });
  },
  timeoutMs,
);
