import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { expectAccessible, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { differenceOf, Picture } from '../pictures/picture';
import { differencesFrom } from '../pictures/references';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

const dashboard = join(__dirname, '../../gateway/dashboard');
const references = join(__dirname, 'design-references');
// The same font on every machine, so that texts have the same width.
const font = join(
  dashboard,
  '../../services/documents/node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
);
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};
const origin = 'http://design.example';
const sections = ['buttons', 'form', 'notices', 'values', 'table', 'filters', 'lists', 'charts'];
// Versions of Chromium draw edges of letters a little differently; a changed color, size or text
// changes more.
const tolerance = { share: 0.02, tileShare: 1 };

let browser: Browser;
let folder = '';

beforeAll(async () => {
  if (program === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'design-'));
  const vite = join(dashboard, 'node_modules/vite/bin/vite.js');
  const args = ['build', '--mode', 'development', '--outDir', folder, '--logLevel', 'error'];
  execFileSync(process.execPath, [vite, ...args], { cwd: dashboard });
  browser = await launchChromium(program);
}, timeoutMs);

afterAll(async () => {
  if (program === undefined) return;
  await browser.close();
  rmSync(folder, { recursive: true });
});

testInChromium.each(['light', 'dark'] as const)(
  'every part looks as in its reference, and is accessible, in the %s theme',
  async (colorScheme) => {
    const viewport = { width: 1000, height: 800 };
    const options = { viewport, colorScheme, reducedMotion: 'reduce' } as const;
    await visit(browser, options, async (page) => {
      await openDesign(page);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Invalid email').waitFor();
      await page.getByRole('button', { name: 'Save' }).blur();
      const found: string[] = [];
      const compare = async (part: Locator, name: string) => {
        await part.waitFor();
        const path = join(references, `${name}-${colorScheme}.png`);
        found.push(...(await differencesFrom(path, await Picture.of(part), tolerance)));
      };
      for (const name of sections) await compare(page.locator(`[data-section=${name}]`), name);
      await expectAccessible(page);
      await eachOverlay(page, compare);
      expect(found).toEqual([]);
    });
  },
  timeoutMs,
);

testInChromium(
  'a changed color and a changed size differ from the reference',
  async () => {
    await visit(browser, { viewport: { width: 1000, height: 800 } }, async (page) => {
      await openDesign(page);
      const section = page.locator('[data-section=buttons]');
      const before = await Picture.of(section);
      expect((await differenceOf(before, await Picture.of(section))).share).toBe(0);
      for (const content of [
        ':root { --accent: #1f7a4d }',
        '.button { padding-inline: 1.25rem }',
        '.spinner { display: none }',
      ]) {
        const style = await page.addStyleTag({ content });
        const { share } = await differenceOf(before, await Picture.of(section));
        expect([content, share > tolerance.share]).toEqual([content, true]);
        await style.evaluate('(element) => element.remove()');
      }
    });
  },
  timeoutMs,
);

/** Opens and closes what the buttons of the last section open. */
async function eachOverlay(
  page: Page,
  compare: (part: Locator, name: string) => Promise<void>,
): Promise<void> {
  const open = (name: string) => page.getByRole('button', { name }).click();
  const close = async (part: Locator) => {
    await page.keyboard.press('Escape');
    await part.waitFor({ state: 'detached' });
  };
  const dialog = page.locator('.dialog');
  await open('Open dialog');
  await compare(dialog, 'dialog');
  await close(dialog);
  await open('Open confirmation');
  await compare(dialog, 'confirmation');
  await close(dialog);
  await open('Open menu');
  await compare(page.getByRole('menu'), 'menu');
  await close(page.getByRole('menu'));
  await open('Deactivate');
  await compare(dialog, 'deactivation');
  await close(dialog);
  await page.getByRole('combobox', { name: 'Product: Team' }).click();
  await page.getByPlaceholder('Find products').fill('star');
  await page.getByRole('option', { name: 'Team' }).waitFor({ state: 'detached' });
  await compare(page.locator('.popup.combobox'), 'picker');
  await close(page.locator('.popup.combobox'));
  await page.getByRole('button', { name: 'Copy: test card' }).focus();
  await page.getByRole('button', { name: 'Copy: test card' }).hover();
  await compare(page.locator('.tooltip'), 'tooltip');
  await selectRows(page, compare);
  await page.getByRole('combobox', { name: 'Open combobox' }).click();
  await page.getByPlaceholder('Find by name').fill('Two');
  await page.getByRole('option', { name: 'Live' }).waitFor({ state: 'detached' });
  await compare(page.locator('.popup.combobox'), 'combobox');
  await close(page.locator('.popup.combobox'));
  await open('Show message');
  await compare(page.locator('.toast'), 'toast');
}

/** Selects the rows of a list, and opens what can be done with them. */
async function selectRows(
  page: Page,
  compare: (part: Locator, name: string) => Promise<void>,
): Promise<void> {
  const invoices = page.getByRole('region', { name: 'Invoices' });
  for (const number of [1, 2, 3]) {
    await invoices.getByRole('checkbox', { name: `INV-00000${String(number)}` }).check();
  }
  await compare(page.locator('.bulk-bar'), 'bulk-bar');
  await page.getByRole('button', { name: 'Charge', exact: true }).click();
  const dialog = page.locator('.dialog');
  await compare(dialog, 'bulk-action');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

/** Opens the page from the built files; no gateway is needed. */
async function openDesign(page: Page): Promise<void> {
  await page.route(`${origin}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/font.ttf') return route.fulfill({ body: readFileSync(font) });
    const isAsset = pathname.startsWith('/dashboard/assets/');
    const file = isAsset ? join('assets', basename(pathname)) : 'index.html';
    const contentType = isAsset ? (types[extname(file)] ?? 'text/plain') : 'text/html';
    return route.fulfill({ body: readFileSync(join(folder, file)), contentType });
  });
  await page.goto(`${origin}/dashboard/design`);
  await page.addStyleTag({
    content: `@font-face { font-family: Reference; src: url(${origin}/font.ttf) }
      :root { --sans: Reference; --mono: Reference }`,
  });
  await page.getByRole('heading', { level: 1, name: 'Design' }).waitFor();
  await page.evaluate('document.fonts.load("14px Reference")');
}
