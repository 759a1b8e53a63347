import type { Browser, Page } from 'playwright-core';
import { look } from '../dashboard/page-actions';
import { visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { newAddress, OperatorClient, password } from '../support/operator-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { byKeyboard, byTouch, type Hands } from './hands';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

let system: TestSystem;
let browser: Browser;
let receiver: WebhookReceiver;
const address = newAddress();

beforeAll(async () => {
  if (program === undefined) return;
  system = await joinTestSystem();
  await OperatorClient.owner(system, address);
  receiver = await startWebhookReceiver();
  browser = await launchChromium(program);
}, timeoutMs);

afterAll(async () => {
  if (program === undefined) return;
  await browser.close();
  await receiver.close();
});

testInChromium.each([byKeyboard, byTouch])(
  'a new owner comes from home to the first paid test invoice and webhook endpoint $name',
  async ({ name, viewing, handsOf }) => {
    const { live } = system;
    const { id } = await live.expect(201, live.post('/sandboxes', { name }));
    await visit(browser, viewing, async (page) => {
      const { press, type, send } = handsOf(page);
      await page.goto(`${system.gatewayUrl}/dashboard/${String(id)}`);
      await type(page.getByLabel('Email'), address);
      await type(page.getByLabel('Password'), password);
      await press(page.getByRole('button', { name: 'Sign in' }));
      const steps = page.getByRole('list', { name: 'Set up billing' });
      await press(steps.getByRole('link', { name: 'Create product' }));
      const dialog = page.locator('.dialog');
      // The first field of a dialog has the focus.
      await dialog.locator('[name="name"]:focus').waitFor();
      await type(dialog.getByLabel('Name'), 'Pro');
      await type(dialog.getByLabel('Amount'), '29');
      await look(page, `first product ${name}`);
      await send(dialog.getByRole('button', { name: 'Create product' }));
      await dialog.waitFor({ state: 'detached' });
      await page.locator('button:focus', { hasText: 'New product' }).waitFor();

      const back = page.getByRole('link', { name: 'Set up billing' });
      await press(back);
      await press(steps.getByRole('link', { name: 'Create link' }));
      await dialog.locator('[name="label"]:focus').waitFor();
      await type(dialog.getByLabel('Title'), 'Get Pro');
      await send(dialog.getByRole('button', { name: 'Create link' }));
      await dialog.waitFor({ state: 'detached' });
      const opened = page.waitForEvent('popup');
      await press(page.locator('.notice').getByRole('link', { name: 'Get Pro' }));
      await look(page, `first link ${name}`);
      await pay(await opened, handsOf);

      await press(back);
      await page
        .locator('.figure', { hasText: 'Today’s invoices paid in USD' })
        .getByText('$29')
        .waitFor();
      await steps.getByText('Make a test payment').waitFor();
      expect(await steps.getByRole('link').allTextContents()).toEqual(['Add endpoint']);
      await look(page, `first payment ${name}`);

      await press(steps.getByRole('link', { name: 'Add endpoint' }));
      await dialog.locator('[name="url"]:focus').waitFor();
      await type(dialog.getByLabel('URL'), receiver.url);
      // No name of an event is broken into two lines.
      expect(await page.evaluate(brokenChoices)).toEqual([]);
      await look(page, `first endpoint form ${name}`);
      await send(dialog.getByRole('button', { name: 'Add endpoint' }));
      await page.getByRole('region', { name: 'signing secret' }).waitFor();
      await look(page, `first endpoint ${name}`);
    });
  },
  timeoutMs,
);

// The label is one box: only the rectangles of its text show the lines.
const brokenChoices = `[...document.querySelectorAll('.dialog .check span')]
  .filter((choice) => {
    const text = document.createRange();
    text.selectNodeContents(choice);
    return text.getClientRects().length !== 1;
  })
  .map(({ textContent }) => textContent)`;

/** A visitor of the link pays with a test card that the page names. */
async function pay(page: Page, handsOf: (page: Page) => Hands): Promise<void> {
  const { press, type, send } = handsOf(page);
  await type(page.getByLabel('Email'), 'eve@example.com');
  await send(page.getByRole('button', { name: 'Continue to payment' }));
  await page.getByText('$29.00 due today').waitFor();
  await type(page.getByLabel('Card number'), '4242424242424242');
  await type(page.getByLabel('Expires'), '1234');
  await type(page.getByLabel('Security code'), '123');
  await press(page.getByRole('button', { name: 'Pay $29.00' }));
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
}
