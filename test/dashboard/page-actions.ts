import { eventually } from '@billing/chassis/testing';
import type { Locator, Page } from 'playwright-core';
import { expectAccessible, looksClosely, takeScreenshot } from '../support/browser-visit';

export async function heading(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
}

export async function pressInDialog(page: Page, name: string): Promise<void> {
  await page.locator('.dialog').getByRole('button', { name, exact: true }).click();
}

/**
 * Checks width and, except in `npm run test:all`, accessibility. Only tables may scroll sideways,
 * in their own region.
 */
export async function look(page: Page, name: string): Promise<void> {
  if (looksClosely) await lookClosely(page, name);
  else await expectNoOverflow(page);
}

/** As `look`, with axe or some of its rules in every tier. */
export async function lookClosely(
  page: Page,
  name: string,
  rules?: readonly string[],
): Promise<void> {
  await expectNoOverflow(page);
  await expectAccessible(page, rules);
  await takeScreenshot(page, `dashboard ${name}`);
}

async function expectNoOverflow(page: Page): Promise<void> {
  await page.locator('.skeleton-line, progress').first().waitFor({ state: 'detached' });
  // The page may still be drawn, so one width says nothing.
  await eventually(
    async () => {
      expect([page.url(), await page.evaluate(overflow)]).toEqual([page.url(), none]);
    },
    { everyMs: 250 },
  );
}

const none = { pixels: 0, by: [] };

// How far the page is too wide, and the first elements that are.
const overflow = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const pixels = scrollWidth - clientWidth;
  if (pixels === 0) return { pixels, by: [] };
  const wide = [...document.querySelectorAll('body *')].filter(
    (element) => element.getBoundingClientRect().right > clientWidth,
  );
  return { pixels, by: wide.slice(0, 3).map(({ outerHTML }) => outerHTML.slice(0, 120)) };
})()`;

/** Opens a dialog, fills its fields by name, and confirms it. */
export async function fillIn(
  page: Page,
  { opener, confirm, fields = {} }: { opener: string; confirm: string; fields?: object },
): Promise<void> {
  await press(page, opener);
  const dialog = page.locator('.dialog');
  for (const [name, value] of Object.entries(fields)) {
    const field = dialog.locator(`[name="${name}"]`);
    await field.waitFor({ state: 'attached' });
    const picker = dialog.locator(`.field:has(> input[name="${name}"]) > .picker`);
    if ((await picker.count()) === 1) {
      await pick(page, picker, value as string);
      continue;
    }
    const isSelect = (await dialog.locator(`select[name="${name}"]`).count()) === 1;
    await (isSelect ? field.selectOption({ label: value }) : field.fill(value as string));
  }
  await confirmDialog(page, confirm);
}

/** Confirms the open dialog, which closes. */
export async function confirmDialog(page: Page, confirm: string): Promise<void> {
  const dialog = page.locator('.dialog');
  await dialog.getByRole('button', { name: confirm, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Chooses the first match of a search. */
export async function pick(page: Page, picker: Locator, text: string): Promise<void> {
  await picker.click();
  const field = page.getByRole('combobox', { name: /^Find / });
  const match = page.getByRole('option').filter({ hasText: text }).first();
  // The page does not repeat a search that took too long.
  await eventually(async () => {
    await field.fill('');
    await field.fill(text);
    await match.click({ timeout: 10_000 });
  });
  await match.waitFor({ state: 'detached' });
}

/** Records messages about successes, which are shown for a few seconds only. */
export async function recordMessages(page: Page): Promise<void> {
  await page.addInitScript(`
    window.messages = [];
    const record = (toast) => {
      const path = toast.querySelector('a')?.pathname ?? null;
      window.messages.push({ text: toast.textContent, path });
    };
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
      added.filter((node) => node.matches?.('.toast')).forEach(record);
    }).observe(document, { subtree: true, childList: true });
  `);
}

/** Waits for a recorded message: a busy machine may look for it when it has vanished. */
export async function untilMessage(page: Page, text: string): Promise<void> {
  await eventually(async () => {
    const messages = await page.evaluate<readonly { text: string }[]>('window.messages');
    expect(messages.map((message) => message.text)).toContainEqual(expect.stringContaining(text));
  });
}

/** The log says who did what in sentences, and finds what one person did to one object. */
export async function seeAuditLog(page: Page, endpointUrl: string): Promise<void> {
  await page
    .getByText(/stopped the clock of sandbox/)
    .first()
    .waitFor();
  const created = page.locator('tr', { hasText: 'created webhook endpoint' });
  await created.getByRole('link', { name: endpointUrl }).waitFor();
  await created.getByRole('button', { name: 'Show' }).click();
  await created.getByText('POST /v1/webhook-endpoints').waitFor();
  await look(page, 'audit log');
  await created.getByRole('link', { name: 'Show all changes to it' }).click();
  await page.getByText('created webhook endpoint').waitFor();
  await page.getByText('revoked').waitFor({ state: 'detached' });
  // The page of the object leads to the same list.
  const found = page.url();
  await page.getByRole('link', { name: endpointUrl }).first().click();
  await page.getByRole('link', { name: 'Change history' }).click();
  await page.getByText('created webhook endpoint').waitFor();
  expect(page.url()).toBe(found);
}

/** The form of a usage price has its values, and keeps tiers while another model is chosen. */
export async function changeUsagePrice(page: Page, row: Locator): Promise<void> {
  const dialog = page.locator('.dialog');
  await press(page, 'Add usage price');
  await dialog.getByText('Every meter has a price').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await row.getByRole('button', { name: 'Edit price' }).click();
  expect(await dialog.locator('[name="minimumAmount"]').inputValue()).toBe('5.00');
  const model = dialog.getByLabel('Pricing model');
  const bound = dialog.getByLabel('Tier 1: to');
  await model.selectOption({ label: 'Volume tiers' });
  await bound.fill('700');
  await model.selectOption({ label: 'Per unit' });
  await bound.waitFor({ state: 'hidden' });
  await model.selectOption({ label: 'Volume tiers' });
  expect(await bound.inputValue()).toBe('700');
  await model.selectOption({ label: 'Per unit' });
  await dialog.locator('[name="maximumAmount"]').fill('60');
  await confirmDialog(page, 'Save price');
  await row.getByText('$60.00').waitFor();
}

/** Switches to a sandbox with a manual clock. The list of environments may change under a click. */
export async function enterSandbox(page: Page, name: string): Promise<void> {
  await eventually(async () => {
    const search = page.getByPlaceholder('Find by name or ID');
    const trigger = page.getByRole('combobox', { name: /^Environment: / });
    if (!(await search.isVisible())) await trigger.click({ timeout: 10_000 });
    await search.fill(name, { timeout: 10_000 });
    await page.getByRole('option', { name }).first().click({ timeout: 10_000 });
    await page.getByText('Sandbox time:').waitFor({ timeout: 10_000 });
  });
}
