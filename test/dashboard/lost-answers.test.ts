import type { Browser, Page } from 'playwright-core';
import { desktop, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { newAddress, OperatorClient, password } from '../support/operator-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { heading, look, press, pressInDialog } from './page-actions';
import { codeOf } from './totp-code';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const newPassword = 'another horse battery staple';
const unknown = { status: 503, json: { error: 'Service unavailable' } };

let system: TestSystem;
let owner: OperatorClient;
let browser: Browser;

beforeAll(async () => {
  system = await joinTestSystem();
  owner = await OperatorClient.owner(system, newAddress());
  if (program !== undefined) browser = await launchChromium(program);
});

afterAll(() => browser.close());

/** Loses the first answer of a write, after its effect; returns the keys of all attempts. */
async function loseAnswer(page: Page, path: string): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  await page.route(`**/dashboard/api${path}`, async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    const response = await route.fetch();
    await route.fulfill(keys.length === 1 ? unknown : { response });
  });
  return keys;
}

const isRetried = (page: Page) =>
  page.getByRole('status').getByText('Trying again is safe. Retrying…').waitFor();

function expectOneKey(keys: readonly (string | undefined)[]): void {
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
}

async function invite(): Promise<{ email: string; link: string }> {
  const email = newAddress();
  const { body } = await owner.api('POST', '/operators', { email, role: 'DEVELOPER' });
  return { email, link: body.link as string };
}

const signIn = (email: string, typed: string, code?: string) =>
  new OperatorClient(system.gatewayUrl).api('POST', '/session', { email, password: typed, code });

testInChromium('a lost answer to an accepted invitation signs in after a retry', async () => {
  const { email, link } = await invite();
  await visit(browser, desktop, async (page) => {
    await page.goto(link);
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Password').fill(newPassword);
    const keys = await loseAnswer(page, '/invitations/accept');
    await press(page, 'Accept and sign in');
    await isRetried(page);
    await look(page, 'invitation retried');
    await page.waitForURL('**/dashboard/live');
    expectOneKey(keys);
  });
  expect((await signIn(email, newPassword)).status).toBe(200);
});

testInChromium(
  'lost answers to a new password and to a reset link succeed after a retry',
  async () => {
    const { email, link } = await invite();
    const person = new OperatorClient(system.gatewayUrl);
    const { body: joined } = await person.accept(link, email);
    await visit(browser, desktop, async (page) => {
      await page.goto(`${system.gatewayUrl}/dashboard/live/account`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await heading(page, 'Your account');
      await page.getByLabel('Current password').fill(password);
      await page.getByLabel('New password').fill(newPassword);
      const changes = await loseAnswer(page, '/password');
      await press(page, 'Change password');
      await isRetried(page);
      await look(page, 'password retried');
      await page.getByText('Password changed. All your other sessions').waitFor();
      expectOneKey(changes);

      const id = joined.operator.id as string;
      const reset = await owner.api('POST', `/operators/${id}/reset-link`, {});
      await page.goto(reset.body.url as string);
      await page.getByLabel('New password').fill(password);
      const uses = await loseAnswer(page, '/reset-links/use');
      await press(page, 'Set password');
      await isRetried(page);
      await look(page, 'reset retried');
      await heading(page, 'Password changed');
      expectOneKey(uses);
    });
    expect((await signIn(email, password)).status).toBe(200);
  },
);

testInChromium(
  'lost answers do not hide a second factor, its recovery codes and its end',
  async () => {
    const { email, link } = await invite();
    await new OperatorClient(system.gatewayUrl).accept(link, email);
    await visit(browser, desktop, async (page) => {
      await page.goto(`${system.gatewayUrl}/dashboard/live/security`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await heading(page, 'Security');
      const begun = await loseAnswer(page, '/second-factor');
      await press(page, 'Set up');
      await isRetried(page);
      const secret = await page.getByLabel('setup key', { exact: true }).innerText();
      expectOneKey(begun);
      // The next code is valid already, and longer than the present one.
      await page.getByLabel('Code', { exact: true }).fill(codeOf(secret.trim(), 1));
      const confirmed = await loseAnswer(page, '/second-factor/confirm');
      await press(page, 'Turn on');
      await isRetried(page);
      await look(page, 'second factor retried');
      await page.getByText('Second factor turned on').waitFor();
      expectOneKey(confirmed);
      const codes = await page.getByLabel('recovery codes', { exact: true }).innerText();
      const [first = '', second = ''] = codes.trim().split('\n');
      expect((await signIn(email, password, first)).status).toBe(200);
      await press(page, 'I saved the codes');
      await press(page, 'Turn off');
      await page.locator('.dialog').getByLabel('Password').fill(password);
      await page.locator('.dialog').getByLabel('Code').fill(second);
      const removed = await loseAnswer(page, '/second-factor/remove');
      await pressInDialog(page, 'Turn off');
      await isRetried(page);
      await look(page, 'second factor end retried');
      await page.getByRole('button', { name: 'Set up' }).waitFor();
      expectOneKey(removed);
    });
    expect((await signIn(email, password)).status).toBe(200);
  },
);
