import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { looksClosely, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { newAddress, OperatorClient, password } from '../support/operator-client';
import { bytesOf } from './page-bytes';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { fixPage, type Mask } from './fixed-page';
import { fixMigrations } from './migration-states';
import { keepPicture, Picture, screenshotOf } from './picture';
import { differencesFrom } from './references';
import { openShop, type Shop } from './shop';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 1_800_000;

const references = join(__dirname, 'references');
const screenshots = join(__dirname, '../..', '.cache', 'screenshots', 'pages');
// As for the parts of the design, but a missing button is a small part of a page.
const tolerance = { share: 0.01, tileShare: 0.05 };
const viewports = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;
/** Figures of a service on the page System, which measures the machine every few seconds. */
const measured: Readonly<Record<string, unknown>> = {
  version: '1.0.0',
  startedAt: '2033-01-05T08:00:00.000Z',
  outboxAgeSeconds: 0,
  streamLag: 0,
  eventLoopDelayMs: 12,
  memoryBytes: 268_435_456,
  replicas: [
    { id: 'billing-1/42/0', version: '1.0.0', seenAt: '2033-01-05T08:30:00.000Z', living: true },
  ],
  disk: { freeBytes: 32_212_254_720, totalBytes: 64_424_509_440 },
};
// Pages differ at their top; longer ones repeat rows.
const heightMax = 2_000;
const looksMax = 3;
/** Limit of what a page of a payer loads: headers, its script and the seller's logo included. */
const payerBytesMax = 20_000;
const schemes = ['light', 'dark'] as const;

let browser: Browser;
let system: TestSystem;
let receiver: WebhookReceiver;
let shop: Shop;
let address = '';
let masks: readonly Mask[] = [];

beforeAll(async () => {
  if (program === undefined) return;
  system = await joinTestSystem();
  receiver = await startWebhookReceiver();
  address = newAddress();
  const owner = await OperatorClient.owner(system, address);
  shop = await openShop({ system, owner, endpointUrl: receiver.url });
  browser = await launchChromium(program);
  masks = [
    [address, 'olivia@example.com'],
    [system.organization, 'Ada Analytics'],
    [new URL(receiver.url).pathname, '/webhooks'],
  ];
}, timeoutMs);

afterAll(async () => {
  if (program === undefined) return;
  await browser.close();
  await receiver.close();
});

/** Compares a page in both widths and themes, as it is shown now. */
async function compare(page: Page, name: string): Promise<readonly string[]> {
  await fixPage(page, masks);
  const found: string[] = [];
  for (const viewport of viewports) {
    await page.setViewportSize(viewport);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const file = `${name}-${String(viewport.width)}-${colorScheme}.png`.replaceAll(' ', '-');
      found.push(...(await differencesOf(page, file)));
    }
  }
  await page.setViewportSize(viewports[0]);
  return found;
}

/** Looks again where the page differs: charts are redrawn a moment after a change of size. */
async function differencesOf(page: Page, file: string): Promise<readonly string[]> {
  for (let look = 1; ; look += 1) {
    const screenshot = await screenshotOf(page, heightMax);
    if (looksClosely) keepPicture(join(screenshots, file), screenshot);
    const picture = await Picture.ofScreenshot(screenshot, page);
    const found = await differencesFrom(join(references, file), picture, tolerance);
    if (found.length === 0 || look === looksMax || found[0]?.includes(' is new')) return found;
    await page.waitForTimeout(1_000);
  }
}

// Fonts and masks are set from outside; other tests check the policy.
const options = { viewport: viewports[0], bypassCSP: true };

testInChromium(
  'every page of the dashboard looks as in its reference',
  async () => {
    const found: string[] = [];
    await visit(browser, options, async (page) => {
      await fixMeasurements(page);
      const showMigration = await fixMigrations(page);
      const place = `${system.gatewayUrl}/dashboard/${shop.environmentId}`;
      await page.goto(place);
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      found.push(...(await compare(page, 'dashboard/sign in')));
      await page.goto(`${system.gatewayUrl}/dashboard/forgotten-password`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      found.push(...(await compare(page, 'dashboard/forgotten password')));
      found.push(...(await compareOpenPages(page)));
      await page.goto(place);
      await page.getByLabel('Email').fill(address);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Sandbox time:').waitFor();
      found.push(...(await compareRequiredFactor(page, place)));
      const links = await page.locator('#navigation a').all();
      const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
      const lists = paths.map((path) => (path ?? '').split('/').slice(3).join('/'));
      const pages = [
        ...lists.map((path) => [path === '' ? 'home' : path.replaceAll('/', ' '), `/${path}`]),
        ...Object.entries(shop.paths),
        ['account', '/account'],
        ['sandbox', `/developers/sandboxes/${shop.environmentId}`],
      ] as const;
      for (const [name, path] of shortened(pages)) {
        showMigration(name);
        await page.goto(`${place}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        // Asked for a moment after the page is drawn.
        if (name === 'email text') {
          await page.frameLocator('.email-frame').getByRole('heading').first().waitFor();
        }
        found.push(...(await compare(page, `dashboard/${name}`)));
      }
    });
    expect(found).toEqual([]);
  },
  timeoutMs,
);

/** Compares the pages of links that operators get: an invitation, and the reset of a password. */
async function compareOpenPages(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  await page.route('**/dashboard/api/reset-links/look', (route) =>
    route.fulfill({ json: { email: 'olivia@example.com' } }),
  );
  const paths = { ...shop.openPaths, reset: '/dashboard/reset#token' };
  for (const [name, path] of shortened(Object.entries(paths))) {
    // The fragment alone opens no other page.
    await page.goto('about:blank');
    await page.goto(`${system.gatewayUrl}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    found.push(...(await compare(page, `dashboard/${name}`)));
  }
  return found;
}

/** Compares the setup that an organization requires, as the session of a new operator shows it. */
async function compareRequiredFactor(page: Page, place: string): Promise<readonly string[]> {
  const session = '**/dashboard/api/session';
  await page.route(session, async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as object;
    await route.fulfill({ response, json: { ...json, secondFactorMissing: true } });
  });
  await page.goto(place);
  await page.getByRole('heading', { level: 1, name: 'Set up a second factor' }).waitFor();
  const found = await compare(page, 'dashboard/required second factor');
  await page.unroute(session);
  await page.goto(place);
  await page.getByText('Sandbox time:').waitFor();
  return found;
}

/** Compares the page on which a customer reviews another plan. */
async function compareReview(page: Page): Promise<readonly string[]> {
  await page.goto(`${system.gatewayUrl}${shop.planPath}`);
  await page.getByLabel('Starter').check();
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  return compare(page, 'portal/plan review');
}

testInChromium(
  'every page of payers is small and looks as in its reference',
  async () => {
    const found: string[] = [];
    await visit(browser, options, async (page) => {
      const pages = Object.entries(shop.urls);
      const compared = shortened(pages);
      for (const one of pages) {
        const [name, url] = one;
        found.push(...(await openSmall(page, url)));
        if (compared.includes(one)) found.push(...(await compare(page, `payers/${name}`)));
      }
    });
    expect(found).toEqual([]);
  },
  timeoutMs,
);

testInChromium(
  'every page of the portal is small and looks as in its reference',
  async () => {
    const found: string[] = [];
    await visit(browser, options, async (page) => {
      const { scene, customerId } = shop;
      const { url } = await scene.create('/portal/sessions', { customerId });
      await page.goto(url as string);
      found.push(...(await compare(page, 'portal/sign in link')));
      await page.getByRole('button', { name: 'Open the portal' }).click();
      await page.getByRole('navigation', { name: 'Billing' }).waitFor();
      const { portalPaths } = shop;
      const pages = [...(await portalPages(page)), ...Object.entries(portalPaths)];
      const compared = shortened(pages);
      for (const one of pages) {
        const [name, path] = one;
        found.push(...(await openSmall(page, `${system.gatewayUrl}${path}`)));
        if (compared.includes(one)) found.push(...(await compare(page, `portal/${name}`)));
      }
      found.push(...(await compareReview(page)));
    });
    expect(found).toEqual([]);
  },
  timeoutMs,
);

/** Shows the same figures of the services in each run. */
async function fixMeasurements(page: Page): Promise<void> {
  await page.route('**/dashboard/api/system', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { services: readonly object[] };
    const isNothing = (value: unknown) =>
      value === null || (Array.isArray(value) && value.length === 0);
    const fixed = (name: string, value: unknown) =>
      isNothing(value) ? value : (measured[name] ?? value);
    await route.fulfill({
      response,
      json: {
        ...answer,
        services: answer.services.map((service) =>
          Object.fromEntries(
            Object.entries(service).map(([name, value]) => [name, fixed(name, value)]),
          ),
        ),
      },
    });
  });
}

/** Opens a page of a payer, and returns a complaint if it loads too much. */
async function openSmall(page: Page, url: string): Promise<readonly string[]> {
  const { total } = await bytesOf(page, async () => {
    await page.goto(url);
  });
  return total <= payerBytesMax ? [] : [`${new URL(url).pathname} loads ${String(total)} bytes`];
}

/** Tabs of the portal, and pages that its overview links to, by the end of their paths. */
async function portalPages(page: Page): Promise<(readonly [string, string])[]> {
  const links = await page.locator('header nav a, main a').all();
  const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
  const pages = paths.flatMap((path) => {
    if (path?.startsWith('/portal') !== true) return [];
    return [[path === '/portal' ? 'overview' : (path.split('/').at(-1) ?? ''), path] as const];
  });
  return [...new Map(pages)];
}

/** Pages that are compared: every eighth one where pages are not examined. */
function shortened<T>(pages: readonly T[]): readonly T[] {
  return looksClosely ? pages : pages.filter((_page, index) => index % 8 === 0);
}
