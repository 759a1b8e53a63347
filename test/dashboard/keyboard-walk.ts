import type { Page } from 'playwright-core';
import { password } from '../support/operator-client';

/** Signs in, and finds, opens and creates resources of the sandbox `test` without a mouse. */
export async function walkByKeyboard(
  page: Page,
  { look }: { look: (page: Page, name: string) => Promise<void> },
): Promise<void> {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const { keyboard } = page;
  const palette = page.getByRole('dialog', { name: 'Search and actions' });
  const find = async (text: string, option: string | RegExp) => {
    await keyboard.press('Control+k');
    await palette.waitFor();
    await keyboard.type(text);
    await palette.getByRole('option', { name: option }).first().waitFor();
  };
  await page.getByLabel('Email').waitFor();
  await page.getByLabel('Email').focus();
  await keyboard.type('ada@example.com');
  await keyboard.press('Tab');
  await keyboard.type(password);
  await keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Dashboard' }).waitFor();

  await find('test', /^Switch to test/);
  await keyboard.press('Enter');
  await page.getByText('Sandbox time:').waitFor();

  await keyboard.press('g');
  await keyboard.press('c');
  await heading('Customers');
  const rows = page.locator('main tbody tr');
  await rows.first().waitFor();
  await keyboard.press('ArrowDown');
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  expect(await focused()).toBe(await rows.first().locator('a').first().textContent());
  await keyboard.press('Enter');
  await page.waitForURL(/customers\/[0-9a-f-]{36}$/);
  const customer = page.url();

  await keyboard.press('g');
  await keyboard.press('c');
  await heading('Customers');
  await keyboard.press('/');
  expect(await page.evaluate(`document.activeElement.closest('[role="search"]') !== null`)).toBe(
    true,
  );
  await keyboard.press('Control+k');
  await palette.waitFor();
  await keyboard.type('alert');
  await palette.getByRole('option', { name: /Customer/ }).waitFor();
  await palette.getByRole('option', { name: /Subscription/ }).waitFor();
  await look(page, 'palette');
  await keyboard.press('Enter');
  await page.waitForURL(customer);
  await palette.waitFor({ state: 'detached' });

  await find('create disc', 'Create discount');
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New discount' }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/discounts$/);
  await keyboard.press('Escape');
  await page.locator('.dialog').waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');

  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await look(page, 'shortcuts');
  await keyboard.press('Escape');
  await page.locator('.dialog').waitFor({ state: 'detached' });
}
