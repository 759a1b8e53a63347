import type { Locator, Page } from 'playwright-core';
import { eventually } from '@billing/chassis/testing';
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
    await palette.locator('input:focus').waitFor();
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

  await goToCustomers(page);
  const rows = page.locator('main tbody tr');
  await rows.first().waitFor();
  await keyboard.press('ArrowDown');
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  expect(await focused()).toBe(await rows.first().locator('a').first().textContent());
  await keyboard.press('Enter');
  await page.waitForURL(/customers\/[0-9a-f-]{36}$/);
  const customer = page.url();

  await goToCustomers(page);
  await focusFilter(page, 'Name, email or ID');
  await find('go to inv', 'Go to Invoices');
  await keyboard.press('Enter');
  await heading('Invoices');
  await focusFilter(page, 'Customer: All');
  await find('go to sand', 'Go to Sandboxes');
  await keyboard.press('Enter');
  await heading('Sandboxes');
  await focusFilter(page, 'Name or ID');
  await keyboard.press('Control+k');
  await palette.locator('input:focus').waitFor();
  await keyboard.type('alert');
  await palette.getByRole('option', { name: /Customer/ }).waitFor();
  await palette.getByRole('option', { name: /Subscription/ }).waitFor();
  await look(page, 'palette');
  await expectNoStaleResult(page, palette);
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

  const walk = { find, heading, look };
  await sellByKeyboard(page, walk);
  await developByKeyboard(page, walk);
}

/** Both keys must follow each other within a moment, which a busy machine may miss. */
async function goToCustomers(page: Page): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name: 'Customers' });
  await eventually(async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await heading.waitFor({ timeout: 5_000 });
  });
}

/** Until the search for a longer text has ended, Enter opens no result of the earlier text. */
async function expectNoStaleResult(page: Page, palette: Locator): Promise<void> {
  const { keyboard } = page;
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const searches = '**/dashboard/api/search?*';
  await page.route(searches, async (route) => {
    await released;
    await route.continue();
  });
  const address = page.url();
  await keyboard.type(' x');
  await palette.getByRole('option').first().waitFor({ state: 'detached' });
  await keyboard.press('Enter');
  await keyboard.press('Backspace');
  await keyboard.press('Backspace');
  release(undefined);
  await palette.getByRole('option', { name: /Customer/ }).waitFor();
  await page.unroute(searches);
  expect(page.url()).toBe(address);
}

/** Presses `/`, which focuses a field of the filters. */
async function focusFilter(page: Page, name: string): Promise<void> {
  const focused = `(() => {
    const { activeElement: field } = document;
    return field.ariaLabel ?? field.labels?.[0]?.textContent ?? field.tagName;
  })()`;
  // The page that was opened takes the focus once, and pickers are loaded after it.
  await eventually(async () => {
    await page.keyboard.press('/');
    expect(await page.evaluate(focused)).toBe(name);
  });
}

interface Walk {
  readonly find: (text: string, option: string | RegExp) => Promise<void>;
  readonly heading: (name: string) => Promise<void>;
  readonly look: (page: Page, name: string) => Promise<void>;
}

const tabsMax = 40;

/** Presses Tab until an element is focused: a field by its name, a button by its text. */
async function tabTo(page: Page, name: string): Promise<void> {
  const isFocused = `[document.activeElement.name, document.activeElement.textContent].includes(${JSON.stringify(name)})`;
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    if (await page.evaluate<boolean>(isFocused)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${name} is not reached by Tab`);
}

/** A merchant creates a product and a link that sells it. */
async function sellByKeyboard(page: Page, { find }: Walk): Promise<void> {
  const { keyboard } = page;
  await find('create prod', 'Create product');
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New product' }).waitFor();
  await tabTo(page, 'name');
  await keyboard.type('Walked');
  await tabTo(page, 'amount');
  await keyboard.type('12.50');
  await keyboard.press('Enter');
  await page.locator('.dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Walked' }).waitFor();

  await find('create check', 'Create checkout link');
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New checkout link' }).waitFor();
  await tabTo(page, 'label');
  await keyboard.type('Walked link');
  // The newest product comes first.
  await page.locator('.dialog').getByLabel('Walked', { exact: true }).waitFor();
  await tabTo(page, 'productIds');
  await keyboard.press('Space');
  await tabTo(page, 'quantity.max');
  await keyboard.type('5');
  await keyboard.press('Enter');
  const row = page.getByRole('row', { name: /Walked link/ });
  await row.getByText('1 to 5').waitFor();
  await row.getByRole('link', { name: 'Walked', exact: true }).waitFor();
}

/** A developer creates a key, opens its request in the log, and finds the command to repeat it. */
async function developByKeyboard(page: Page, { find, heading, look }: Walk): Promise<void> {
  const { keyboard } = page;
  await find('create api', 'Create API key');
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New API key' }).waitFor();
  await page.locator('.dialog [name="name"]').waitFor();
  await tabTo(page, 'name');
  await keyboard.type('Walked key');
  await keyboard.press('Enter');
  const created = page.getByRole('region', { name: 'API key', exact: true });
  await created.waitFor();
  const key = (await created.textContent()) ?? '';
  await tabTo(page, 'Done');
  await keyboard.press('Enter');
  await find('request log', 'Request log');
  await keyboard.press('Enter');
  await heading('Request log');
  const rows = page.locator('main tbody tr');
  await rows.first().waitFor();
  // A request is in the log a moment after its answer.
  while ((await rows.filter({ hasText: 'POST /v1/api-keys' }).count()) === 0) {
    await page.reload();
    await heading('Request log');
    await rows.first().waitFor();
  }
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  for (let row = 0; row < (await rows.count()); row += 1) {
    await keyboard.press('ArrowDown');
    if ((await focused()) === 'POST /v1/api-keys') break;
  }
  await keyboard.press('Enter');
  await page.waitForURL(/developers\/requests\/[0-9a-f-]{36}$/);
  await heading('POST /v1/api-keys');
  const command = page.getByRole('region', { name: 'curl command' });
  expect(await command.textContent()).toContain('Authorization: Bearer YOUR_KEY');
  expect(await command.textContent()).toContain('"name":"Walked key"');
  const answer = page.getByRole('region', { name: 'body of the response' });
  await answer.getByText('"[redacted]"').waitFor();
  expect(key).toMatch(/^billing_test_/);
  expect(await page.content()).not.toContain(key);
  await look(page, 'request');
}
