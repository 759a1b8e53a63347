import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { desktop, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import {
  hostile,
  type HostileData,
  hostileSchemes,
  shownMarks,
  writeHostileTexts,
} from './hostile-texts';
import { newAddress, OperatorClient } from '../support/operator-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;
const long = 'W'.repeat(10_000);

let system: TestSystem;
let receiver: WebhookReceiver;
let browser: Browser | undefined;
let owner: OperatorClient;
let sandboxId: string;
let api: ApiClient;
let data: HostileData;

beforeAll(async () => {
  system = await joinTestSystem();
  receiver = await startWebhookReceiver();
  owner = await OperatorClient.owner(system, newAddress());
  const { body } = await owner.api('GET', '/environments');
  const live = (body.data as { id: string }[])[0]?.id ?? '';
  const sandbox = await owner.in(live).v1('POST', '/sandboxes', {
    name: hostile('sandbox-name', 200),
    clock: 'MANUAL',
    startsAt: '2026-01-31T00:00:00.000Z',
  });
  sandboxId = sandbox.body.id as string;
  api = system.client(sandbox.body.key as string);
  data = await writeHostileTexts(api, receiver);
  await writeByOperators();
  if (program !== undefined) browser = await launchChromium(program);
}, timeoutMs);

afterAll(async () => {
  await browser?.close();
  await receiver.close();
});

/** Writes the texts that operators control: their names, and the names of resources. */
async function writeByOperators(): Promise<void> {
  const email = newAddress();
  const invited = await owner.api('POST', '/operators', { email, role: 'VIEWER' });
  const token = String(invited.body.link).split('#').at(-1) ?? '';
  const newcomer = new OperatorClient(system.gatewayUrl);
  const name = hostile('operator-name', 200);
  const accepted = { token, email, name, password: 'correct horse battery staple' };
  expect((await newcomer.api('POST', '/invitations/accept', accepted)).status).toBe(200);
  const path = `/customers/${encodeURIComponent(hostile('called-path'))}`;
  expect((await owner.in(sandboxId).v1('PATCH', path, { name: 'x' })).status).toBe(404);
}

/** The addresses of all pages, from the dashboard's own lists. */
function dashboardPaths(): string[] {
  const folder = join(__dirname, '../../gateway/dashboard/src/shell/section');
  const files = readdirSync(folder).filter((name) => /^pages\.ts$|-section\.ts$/.test(name));
  const lists = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const paths = [...lists.matchAll(/\bpage\(\s*'([^']+)'/g)];
  return paths.map(([, path = '']) => {
    if (!path.includes(':')) return path;
    const id = path === '/developers/sandboxes/:id' ? sandboxId : data.ids[path];
    if (id === undefined) throw new Error(`${path} needs an id in hostile-texts.ts`);
    return path.replace(/:.*$/, id);
  });
}

/**
 * Visits pages in a browser that reports every executed script, and every one that the policy
 * blocked.
 */
async function look(work: (page: Page, texts: string[]) => Promise<void>): Promise<string[]> {
  const texts: string[] = [];
  const complaints: string[] = [];
  if (browser === undefined) throw new Error('No browser');
  await visit(browser, desktop, async (page, context: BrowserContext) => {
    await context.exposeFunction('complain', (text: string) => complaints.push(text));
    await context.addInitScript(
      "addEventListener('securitypolicyviolation', ({ blockedURI, violatedDirective, sourceFile }) =>" +
        " complain([location.pathname, violatedDirective, blockedURI, sourceFile].join(' ')))",
    );
    page.on('dialog', (dialog) => {
      complaints.push(`dialog at ${page.url()}`);
      void dialog.dismiss();
    });
    await work(page, texts);
  });
  expect(complaints).toEqual([]);
  return texts;
}

/** The findings on a page. */
interface Found {
  readonly x: unknown;
  readonly scripts: number;
  readonly images: number;
  readonly links: readonly string[];
  readonly text: string;
}

/** Collects the page's texts, and checks that none of them was executed. */
async function read(page: Page, texts: string[]): Promise<void> {
  const { x, scripts, images, links, text } = await page.evaluate<Found>(
    '({ x: window.__x, scripts: document.querySelectorAll("script:not([src])").length,' +
      ' images: document.querySelectorAll("img, svg[onload], [onerror]").length,' +
      ' links: [...document.links].map(({ protocol }) => protocol),' +
      ' text: document.body.textContent + [...document.querySelectorAll("input, textarea")].map(({ value }) => value).join(" ") })',
  );
  expect([page.url(), x ?? null, scripts, images]).toEqual([page.url(), null, 0, 0]);
  expect(links.filter((protocol) => !['http:', 'https:'].includes(protocol))).toEqual([]);
  texts.push(text);
}

/** Marks that appear nowhere as they were written; in addresses they are escaped. */
function missingMarks(marks: readonly string[], texts: readonly string[]): string[] {
  const all = texts.join('\n');
  const forms = (mark: string) => [`${mark} <script>`, `${mark}/%3Cscript`, `${mark}%20%3Cscript`];
  return marks.filter((mark) => !forms(mark).some((form) => all.includes(form)));
}

/** Opens a page and waits until all its requests are complete. */
async function openDashboard(page: Page, path: string, asking: ReadonlySet<unknown>) {
  await page.goto(`${system.gatewayUrl}/dashboard/${sandboxId}${path}`);
  await page.locator('main h1').waitFor();
  // A response may cause further requests in one of the next frames.
  for (let quiet = 0; quiet < 5; quiet = asking.size === 0 ? quiet + 1 : 0) {
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
  }
  await page.locator('progress').first().waitFor({ state: 'detached' });
}

/** The page's requests in flight. */
function requestsOf(page: Page): ReadonlySet<unknown> {
  const asking = new Set<unknown>();
  page.on('request', (request) => asking.add(request));
  page.on('requestfinished', (request) => asking.delete(request));
  page.on('requestfailed', (request) => asking.delete(request));
  return asking;
}

/** Elements that open more of a page: its forms, and a delivery with a response. */
async function openersOf(page: Page): Promise<Locator[]> {
  const main = page.locator('main');
  const exact = (name: string) => ({ name, exact: true });
  const openers = [
    main.locator('tr', { hasText: '500' }).getByRole('button', exact('View')).first(),
    main.getByRole('button', exact('Edit')).first(),
  ];
  const there: Locator[] = [];
  for (const opener of openers) {
    if ((await opener.count()) > 0 && (await opener.isEnabled())) there.push(opener);
  }
  return there;
}

testInChromium(
  'no stored text is executed on any page of the dashboard, and all of them are legible',
  async () => {
    const paths = dashboardPaths();
    expect(paths.length).toBeGreaterThan(20);
    const [name = '', value = ''] = (owner.cookie ?? '').split('=');
    const texts = await look(async (page, found) => {
      await page.context().addCookies([{ name, value, url: system.gatewayUrl }]);
      const asking = requestsOf(page);
      for (const path of paths) {
        await openDashboard(page, path, asking);
        await read(page, found);
        for (const opener of await openersOf(page)) {
          await opener.click();
          await page.locator('.dialog').waitFor();
          await read(page, found);
          await page.keyboard.press('Escape');
          await page.locator('.dialog').waitFor({ state: 'detached' });
        }
      }
    });
    expect(missingMarks(shownMarks, texts)).toEqual([]);
  },
  timeoutMs,
);

testInChromium(
  'nor on a page that customers see',
  async () => {
    const texts = await look(async (page, found) => {
      for (const address of data.publicPages) {
        await page.goto(address);
        await read(page, found);
      }
      await page.goto(data.portalUrl);
      await page.locator('main button').first().click();
      for (const path of ['', '/usage', '/invoices', '/payment-methods', '/details']) {
        await page.goto(`${system.gatewayUrl}/portal${path}`);
        await read(page, found);
      }
    });
    const shown = [
      'product-name',
      'product-description',
      'customer-name',
      'meter-name',
      'link-label',
    ];
    expect(missingMarks(shown, texts)).toEqual([]);
  },
  timeoutMs,
);

describe('stored hostile text', () => {
  test.each([
    ['/customers', { email: 'a@b.co' }, ['externalId', 'name', 'phone']],
    [
      '/products',
      { type: 'FLAT', currency: 'usd', amount: 1, billingInterval: 'MONTHLY' },
      ['name', 'description', 'lookupKey'],
    ],
    ['/discounts', { type: 'PERCENTAGE', value: 1, duration: 'ONCE' }, ['name', 'code']],
    ['/meters', {}, ['name', 'unit']],
    ['/webhook-endpoints', { url: 'https://example.com' }, ['description']],
    ['/webhook-endpoints', {}, ['url']],
    ['/api-keys', {}, ['name']],
    ['/checkout-links', { productIds: [] }, ['label']],
  ] as const)('%s accepts no text of 10 kB', async (path, input, fields) => {
    for (const field of fields) {
      const { status, body } = await api.post(path, { name: 'x', ...input, [field]: long });
      expect([field, status, Object.keys(body.error as object)]).toEqual([
        field,
        400,
        expect.arrayContaining([field]),
      ]);
    }
    const { status, body } = await api.post('/customers', {
      email: 'a@b.co',
      metadata: { a: long },
    });
    expect([status, Object.keys(body.error as object)]).toEqual([400, ['metadata']]);
  });

  test.each(hostileSchemes)('never navigates a browser to %j', async (address) => {
    const customerId = data.ids['/customers/:id'];
    const productId = data.ids['/products/:id'];
    for (const [path, field] of [
      ['/checkout', 'successUrl'],
      ['/checkout', 'cancelUrl'],
      ['/checkout-links', 'successUrl'],
      ['/checkout-links', 'returnUrl'],
      ['/portal/sessions', 'returnUrl'],
      ['/webhook-endpoints', 'url'],
    ] as const) {
      const input = { customerId, productId, label: 'x', productIds: [productId] };
      const { status, body } = await api.post(path, { ...input, [field]: address });
      expect([path, status, Object.keys(body.error as object)]).toEqual([path, 400, [field]]);
    }
  });
});
