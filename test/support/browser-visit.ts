import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { source as axeSource } from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { inTurn, isShort } from './rounds';

/** Folder for screenshots to be examined by people. */
const screenshots = join(__dirname, '../..', '.cache', 'screenshots');
/**
 * False in `npm run test:all`: no screenshots, which are not examined after CI, and axe only where
 * every page and part is visited. Both take most of the time of a page.
 */
export const looksClosely = !isShort;

export const phone = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true };
export const desktop = { viewport: { width: 1200, height: 850 } };
/** Two viewports that differ in size and color scheme; in `npm run test:all` the one of the day. */
export const differentViewports = inTurn<readonly [string, BrowserContextOptions]>([
  ['on a desk', desktop],
  ['on a phone in the dark', { ...phone, colorScheme: 'dark' }],
]);

/** All viewports and color schemes; in `npm run test:all` the one of the day. */
export const viewports: readonly (readonly [string, BrowserContextOptions])[] = looksClosely
  ? [
      ...differentViewports,
      ['on a phone', phone],
      ['in the dark', { ...desktop, colorScheme: 'dark' }],
    ]
  : differentViewports;

/** Pages show times in the locale and time zone of the reader; what moves is half transparent. */
const reader = { locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce' } as const;

/** Runs in a new browser context, which reports every error on the console. */
export async function visit(
  browser: Browser,
  options: BrowserContextOptions,
  work: (page: Page, context: BrowserContext) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ ...reader, ...options });
  // A busy machine needs more time.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await work(page, context);
  // The console also reports refused responses; any other message, such as a violation of the
  // policy, is a fault.
  expect(complaints.filter((text) => !text.includes('the server responded with'))).toEqual([]);
  await context.close();
}

export async function typeCard(page: Page, number: string): Promise<void> {
  await page.locator('[autocomplete=cc-number]').fill(number);
  await page.locator('[autocomplete=cc-exp]').fill('12 / 34');
  await page.locator('[autocomplete=cc-csc]').fill('123');
  await page.locator('[autocomplete=cc-name]').fill('Ada Lovelace');
}

/** Takes a screenshot of the whole page, except in `npm run test:all`. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!looksClosely) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({
    path: join(screenshots, `${name.replaceAll(' ', '-')}.png`),
    fullPage: true,
  });
}

/** Checks that no element is wider than the window: the page needs no horizontal scrolling. */
export async function expectToFit(page: Page): Promise<void> {
  const { width } = page.viewportSize()!;
  // The page may still be drawn.
  await eventually(async () => {
    // Invisible elements have no size.
    const tooWide = await page.locator('section, table, input, button, nav a').evaluateAll(
      (elements, limit) =>
        elements
          .map((element) => ({ html: element.outerHTML, box: element.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && box.right > limit)
          .map(({ html }) => html.slice(0, 200)),
      width,
    );
    expect([page.url(), tooWide]).toEqual([page.url(), []]);
  });
}

/**
 * Checks the page with axe, or with some of its rules. Needs a page that runs scripts; axe is
 * injected past its policy.
 */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  // A click may still be loading the page.
  await page.waitForLoadState();
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axeSource);
  const options = rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } };
  const found = await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  );
  expect([page.url(), found]).toEqual([page.url(), []]);
}
