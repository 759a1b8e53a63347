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

const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();
const look = async (page: Page, name: string) => {
  await expectToFit(page);
  await expectAccessible(page);
  await shoot(page, `dashboard ${name}`);
};

testInChromium(
  'an owner comes by the link, makes a key, uses it and signs out and in again',
  async () => {
    const link = (await ownerLink(system.addresses.identity, system.gatewayUrl)) ?? '';
    await visit(browser, {}, async (page, context) => {
      await page.goto(link);
      await look(page, 'invitation');
      await page.getByLabel('Name').fill('Ada Lovelace');
      await page.getByLabel('E-mail').fill('ada@example.com');
      await page.getByLabel('Password').fill('short');
      await press(page, 'Accept and sign in');
      await look(page, 'invitation refused');
      await page.getByLabel('Password').fill(password);
      await press(page, 'Accept and sign in');
      await page.waitForURL('**/dashboard');
      const [cookie] = await context.cookies();
      expect(cookie).toMatchObject({ name: 'operator', httpOnly: true, sameSite: 'Strict' });

      await page.locator('.rows a').last().click();
      await page.getByLabel('Name').fill('Backend');
      await press(page, 'Make key');
      await look(page, 'new key');
      const key = (await page.locator('#key').textContent()) ?? '';
      const used = await system.client(key).get('/customers');
      expect(used.status).toBe(200);

      await press(page, 'Sign out');
      await page.waitForURL('**/sign-in');
      await page.getByLabel('E-mail').fill('ada@example.com');
      await page.getByLabel('Password').fill('not the password');
      await press(page, 'Sign in');
      await look(page, 'sign in refused');
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
        await look(page, `sign in ${name}`);
        await page.getByLabel('E-mail').fill('ada@example.com');
        await page.getByLabel('Password').fill(password);
        await press(page, 'Sign in');
        await page.waitForURL('**/dashboard');
        await look(page, name);
        await page.locator('.rows a').last().click();
        await look(page, `keys ${name}`);
      });
    },
    timeoutMs,
  );
});
