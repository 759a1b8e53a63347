import type { Browser, Page } from 'playwright-core';
import {
  desktop,
  expectAccessible,
  takeScreenshot,
  viewports,
  visit,
} from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const pages = ['/docs', '/docs/quickstart', '/docs/subscriptions', '/docs/verify-webhooks'];
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// Wide tables and code scroll in their own box.
const excessWidth = 'document.documentElement.scrollWidth - window.innerWidth';

let system: TestSystem;
let browser: Browser;

beforeAll(async () => {
  system = await joinTestSystem();
  const executablePath = ensureChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium');
  browser = await launchChromium(executablePath);
});

afterAll(() => browser.close());

const read = (path: string, headers = {}) => fetch(`${system.gatewayUrl}${path}`, { headers });

/** Collects addresses of other origins that a page asks for. */
function otherOrigins(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${system.gatewayUrl}/`) && !url.startsWith('data:')) asked.push(url);
  });
  return asked;
}

test('pages are public, have the policy of the site, and a twin in Markdown', async () => {
  for (const path of [...pages, '/docs/reference', '/docs/webhooks']) {
    const answer = await read(path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get('content-security-policy')).toBe(policy);
    const twin = await read(`${path}.md`);
    expect(twin.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await twin.text()).toMatch(/^# /);
  }
  const etag = (await read('/docs')).headers.get('etag');
  expect((await read('/docs', { 'If-None-Match': etag })).status).toBe(304);
});

test('an unknown page is 404 in the shell of the site', async () => {
  for (const path of ['/docs/nothing', '/docs/quickstart/', '/docs/..%2f..%2fpackage.json']) {
    const answer = await read(path);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toContain('<h1>Page not found</h1>');
  }
});

test('programs find the pages', async () => {
  const list = await (await read('/llms.txt')).text();
  expect(list).toMatch(/^# Billing\n\n.+\n/);
  for (const [, path = ''] of list.matchAll(/\]\((\/docs\/[^)]+)\)/g)) {
    expect([path, (await read(path)).status]).toEqual([path, 200]);
  }
  expect((await read('/llms-full.txt')).headers.get('content-type')).toMatch(/^text\/plain/);
});

describe.each(viewports)('%s', (name, options) => {
  test('guides fit, are accessible, and load nothing from elsewhere', async () => {
    await visit(browser, options, async (page) => {
      const asked = otherOrigins(page);
      for (const path of [...pages, '/docs/webhooks', '/docs/nothing']) {
        await page.goto(`${system.gatewayUrl}${path}`, { waitUntil: 'networkidle' });
        expect([path, await page.evaluate(excessWidth)]).toEqual([path, 0]);
        await expectAccessible(page);
        await takeScreenshot(page, `docs ${path.slice(1).replace('/', '-')} ${name}`);
      }
      expect(asked).toEqual([]);
    });
  });
});

test('the search leads to a section', async () => {
  await visit(browser, desktop, async (page) => {
    await page.goto(`${system.gatewayUrl}/docs`);
    await page.getByRole('searchbox').fill('advance clock');
    await page.getByRole('link', { name: /Advance the clock/ }).click();
    await page.waitForURL('**/docs/sandboxes-and-clocks#advance-the-clock');
  });
});

test('without scripts, guides and references are readable, and there is no search', async () => {
  await visit(browser, { ...desktop, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${system.gatewayUrl}/docs/quickstart`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Quickstart');
    expect(await page.getByRole('searchbox').count()).toBe(0);
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.getByRole('heading', { name: 'Create a customer' }).waitFor();
  });
});

test('a request from the reference with a sandbox key is answered', async () => {
  await visit(browser, desktop, async (page) => {
    const asked = otherOrigins(page);
    await page.goto(`${system.gatewayUrl}/docs/reference#tag/customers/GET/v1/customers`);
    await page.getByPlaceholder('Token').first().fill(system.sandboxKey);
    await page.getByRole('button', { name: /Test Request.*get \/v1\/customers\)/ }).click();
    const answered = page.waitForResponse((response) => response.url().includes('/v1/customers'));
    await page.getByRole('button', { name: /^Send/ }).first().click();
    const answer = await answered;
    expect([answer.status(), await answer.json()]).toMatchObject([200, { page: 1 }]);
    await takeScreenshot(page, 'docs request');
    expect(asked).toEqual([]);
  });
});
