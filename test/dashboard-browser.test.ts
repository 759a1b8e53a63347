import type { Browser, Page } from 'playwright-core';
import { ownerLink } from '@billing/local/owner-link';
import { expectAccessible, expectToFit, lookings, shoot, visit } from './browser-visit';
import { ensureChromium, launchChromium } from './chromium';
import { password } from './operator-client';
import { startTestSystem, type TestSystem } from './test-system';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 120_000;

let system: TestSystem;
let browser: Browser;

beforeAll(async () => {
  if (program === undefined) return;
  system = await startTestSystem();
  browser = await launchChromium(program);
}, timeoutMs);

afterAll(async () => {
  if (program === undefined) return;
  await browser.close();
  await system.stop();
});

const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).first().click();
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
const look = async (page: Page, name: string) => {
  await expectToFit(page);
  await expectAccessible(page);
  await shoot(page, `dashboard ${name}`);
};
const signIn = async (page: Page) => {
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
};

testInChromium(
  'an owner comes by the link, leaves, and comes back to where they were',
  async () => {
    const link = (await ownerLink(system.addresses.identity, system.gatewayUrl)) ?? '';
    await visit(browser, {}, async (page, context) => {
      await page.goto(link);
      await heading(page, /^Join /);
      await look(page, 'invitation');
      await page.getByLabel('Name').fill('Ada Lovelace');
      await page.getByLabel('E-mail').fill('ada@example.com');
      await page.getByLabel('Password').fill('short');
      await press(page, 'Accept and sign in');
      await page.getByText('Must be at least 12 characters').waitFor();
      await look(page, 'invitation refused');
      await page.getByLabel('Password').fill(password);
      await press(page, 'Accept and sign in');
      await page.waitForURL('**/dashboard/live');
      const [cookie] = await context.cookies();
      expect(cookie).toMatchObject({ name: 'operator', httpOnly: true, sameSite: 'Strict' });

      await page.goto(`${system.gatewayUrl}/dashboard/live/account`);
      await heading(page, 'Your account');
      await context.clearCookies();
      await page.reload();
      await heading(page, 'Sign in');
      await page.getByLabel('E-mail').fill('ada@example.com');
      await page.getByLabel('Password').fill('not the password');
      await press(page, 'Sign in');
      await page.getByText('Wrong e-mail or password').waitFor();
      await look(page, 'sign in refused');
      await signIn(page);
      await heading(page, 'Your account');

      await page.goto(link);
      await heading(page, 'This link is over');
    });
  },
  timeoutMs,
);

describe('the dashboard', () => {
  testInChromium.each(lookings)(
    '%s can be read and used by everyone',
    async (name, looking) => {
      await visit(browser, looking, async (page) => {
        await page.goto(`${system.gatewayUrl}/dashboard`);
        await heading(page, 'Sign in');
        await look(page, `sign in ${name}`);
        await signIn(page);
        await page.waitForURL('**/dashboard/live');
        await page.getByText('Real customers').waitFor();
        await look(page, `home ${name}`);
        for (const path of ['account', 'nothing']) {
          await page.goto(`${system.gatewayUrl}/dashboard/live/${path}`);
          await page.locator('h1').waitFor();
          await look(page, `${path} ${name}`);
        }
      });
    },
    timeoutMs,
  );
});
