import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { eventually } from '@billing/chassis/testing';
import { walkByKeyboard } from './keyboard-walk';
import {
  enterSandbox,
  heading,
  look,
  lookClosely,
  press,
  pressInDialog,
  recordMessages,
  seeAuditLog,
} from './page-actions';
import { desktop, expectToFit, phone, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { firstOwnerLink, password } from '../support/operator-client';
import { PortalScene } from '../support/portal-scene';
import { logsOf, sendLastRequest } from '../support/service-log';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { inTurn } from '../support/rounds';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

let system: OwnTestSystem;
let browser: Browser;
let receiver: WebhookReceiver;
let scene: PortalScene;
let sandboxId = '';

const uuids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
// Stands for every text from outside.
const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>';
/** Secrets that no log may contain. */
const secrets = [password, 'ada@example.com'];

beforeAll(async () => {
  if (program === undefined) return;
  system = await startTestSystem({ ownProcess: true });
  receiver = await startWebhookReceiver();
  browser = await launchChromium(program);
  scene = await PortalScene.begin(system);
  const customerId = await scene.customer({ name: hostile });
  await scene.subscribe(customerId, { plan: { name: hostile, description: hostile } });
  const [{ id: productId }] = (await scene.read('/products')).data;
  await scene.create('/checkout-links', { label: hostile, productIds: [productId] });
  await scene.create('/checkout', { customerId, productId });
  const price = { unitAmount: '0.5', includedUnits: 10 };
  const meterId = await scene.price(productId, { name: hostile, unit: 'calls' }, price);
  const event = { customerId, meterId, quantity: 25, eventId: hostile };
  await scene.create('/events/ingest', { events: [event] });
  await creditHostile(customerId);
}, timeoutMs);

/** A draft and a credit note with texts from outside. */
async function creditHostile(customerId: string): Promise<void> {
  const lines = [{ description: hostile, amount: 1_000 }];
  const invoice = { customerId, lines, memo: hostile, collectionMethod: 'SEND_INVOICE' };
  const { id: invoiceId } = await scene.create('/invoices', { ...invoice, finalize: true });
  await scene.create('/credit-notes', { invoiceId, amount: 500, reason: 'OTHER', memo: hostile });
  await scene.create('/invoices', invoice);
}

afterAll(async () => {
  if (program === undefined) return;
  await browser.close();
  await receiver.close();
  await system.stop();
});

const go = async (page: Page, name: string) => {
  await page.locator('#navigation').getByRole('link', { name, exact: true }).click();
  await heading(page, name);
};
const signIn = async (page: Page) => {
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
};
testInChromium(
  'an owner joins by the link, signs in again, and returns to the same page',
  async () => {
    const link = await firstOwnerLink(system);
    secrets.push(link.split('#').at(-1) ?? '');
    await visit(browser, desktop, async (page, context) => {
      await page.goto(link);
      await heading(page, /^Join /);
      await page.getByLabel('Name').fill(hostile);
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByLabel('Password').fill('short');
      await press(page, 'Accept and sign in');
      await page.getByText('Must be at least 12 characters').waitFor();
      await look(page, 'invitation refused');
      await page.getByLabel('Password').fill(password);
      await press(page, 'Accept and sign in');
      // A sandbox, in which nothing is charged.
      await page.waitForURL(/\/dashboard\/[0-9a-f-]{36}$/);
      await page.getByRole('list', { name: 'Set up billing' }).waitFor();
      const [cookie] = await context.cookies();
      expect(cookie).toMatchObject({ name: 'operator', httpOnly: true, sameSite: 'Strict' });
      secrets.push(cookie?.value ?? '');

      await page.goto(`${system.gatewayUrl}/dashboard/live/account`);
      await heading(page, 'Your account');
      const bar = await page.getByRole('banner').boundingBox();
      expect(bar?.height).toBeLessThan(50);
      await context.clearCookies();
      await page.reload();
      await heading(page, 'Sign in');
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByLabel('Password').fill('not the password');
      await press(page, 'Sign in');
      await page.getByText('Wrong email or password').waitFor();
      await look(page, 'sign in refused');
      await signIn(page);
      await heading(page, 'Your account');
      await page.goto(link);
      await heading(page, 'This link has expired or was already used');
    });
  },
  timeoutMs,
);

testInChromium(
  'an owner creates a working key, a sandbox with a manual clock, and an endpoint that receives webhooks',
  async () => {
    await visit(browser, desktop, async (page) => {
      await recordMessages(page);
      await page.goto(`${system.gatewayUrl}/dashboard/live/developers/sandboxes`);
      await signIn(page);
      await heading(page, 'Sandboxes');
      await press(page, 'New sandbox');
      await page.locator('.dialog').getByLabel('Name').fill(hostile);
      await page.getByLabel('Start time (UTC)').fill('2026-01-31T10:00');
      await look(page, 'new sandbox');
      await pressInDialog(page, 'Create sandbox');
      await page.getByRole('region', { name: 'API key' }).waitFor();
      await page.getByRole('link', { name: 'Open sandbox' }).click();
      await page.getByText('Sandbox time:').waitFor();
      sandboxId = new URL(page.url()).pathname.split('/')[2] ?? '';

      await moveClock(page);
      await createKey(page);
      await tellEndpoint(page);
      const endpoint = new URL(page.url()).pathname;
      expect(await page.evaluate<unknown[]>('window.messages')).toEqual(
        expect.arrayContaining([
          { text: 'Sandbox createdView', path: `/dashboard/${sandboxId}` },
          { text: 'API key created', path: null },
          { text: 'API key revoked', path: null },
          { text: 'Endpoint createdView', path: endpoint },
        ]),
      );
      await go(page, 'Request log');
      // A request is in the log a moment after its answer.
      const logged = page.getByText(/POST \/v1\/webhook-endpoints/).first();
      await eventually(async () => {
        await page.reload();
        await heading(page, 'Request log');
        await logged.waitFor({ timeout: 5_000 });
      });
      await look(page, 'request log');
      await setUp(page);
      await go(page, 'Team');
      await press(page, 'Invite');
      await page.getByLabel('Email').fill('viewer@example.com');
      await pressInDialog(page, 'Create invitation');
      await look(page, 'invited');
      const viewerLink = await page.getByRole('region', { name: 'invitation link' }).textContent();
      await go(page, 'Audit log');
      await seeAuditLog(page, receiver.url);
      await seeAsViewer(viewerLink ?? '');
    });
  },
  timeoutMs,
);

testInChromium(
  'a form whose responses are lost says so, retries, and creates one customer',
  async () => {
    const unknown = { status: 503, json: { error: 'Service unavailable' } };
    await visit(browser, desktop, async (page) => {
      await page.goto(`${system.gatewayUrl}/dashboard/${sandboxId}/customers`);
      await signIn(page);
      await heading(page, 'Customers');
      await press(page, 'New customer');
      await page.locator('.dialog').getByLabel('Email').fill('lost@example.com');
      const keys: (string | undefined)[] = [];
      let lost = 0;
      await page.route('**/v1/customers', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        keys.push(route.request().headers()['idempotency-key']);
        const response = await route.fetch();
        if (lost >= 5) return route.fulfill({ response });
        lost += 1;
        return route.fulfill(unknown);
      });
      await pressInDialog(page, 'Create customer');
      await page.getByRole('status').getByText("We don't know yet whether this worked").waitFor();
      await look(page, 'outcome unknown');
      // After its retries the form waits for the operator.
      await page.getByRole('alert').getByText('Trying again is safe.').waitFor();
      await look(page, 'try again');
      await pressInDialog(page, 'Create customer');
      await page.locator('.dialog').waitFor({ state: 'detached' });
      expect(keys.length).toBe(6);
      expect(new Set(keys).size).toBe(1);
      const asked = { headers: { 'Environment-Id': sandboxId } };
      const { total } = await page.evaluate<{ total: number }>(
        `fetch('/v1/customers?email=lost@example.com', ${JSON.stringify(asked)}).then((answer) => answer.json())`,
      );
      expect(total).toBe(1);
    });
  },
  timeoutMs,
);

testInChromium(
  'a stuck command names its environment and shows its actions without scrolling',
  async () => {
    const command = {
      service: 'subscription',
      id: 'subscriptions:0190a000-0000-7000-8000-000000000001:1',
      environmentId: sandboxId,
      aggregate: 'subscription',
      aggregateId: '0190a000-0000-7000-8000-000000000001',
      sequence: 1,
      type: 'billPeriod',
      attempts: 16,
      lastError: 'A period number is a whole number',
      since: '2026-11-22T22:58:36.000Z',
    };
    await visit(browser, desktop, async (page) => {
      await page.route('**/system/commands', (route) =>
        route.fulfill({ json: { commands: [command] } }),
      );
      await page.goto(`${system.gatewayUrl}/dashboard/${sandboxId}/system`);
      await signIn(page);
      const row = page.locator('tr', { hasText: 'billPeriod' });
      await row.getByText(hostile, { exact: true }).waitFor();
      await expectToFit(page);
      await row.getByRole('button', { name: 'Skip' }).click();
      await page.getByText('billPeriod is removed and never runs.').waitFor();
      await look(page, 'stuck command');
    });
  },
  timeoutMs,
);

testInChromium(
  'an operator finds, opens and creates by keyboard alone',
  async () => {
    await visit(browser, desktop, async (page) => {
      await page.goto(`${system.gatewayUrl}/dashboard/live`);
      await walkByKeyboard(page, { look });
    });
  },
  timeoutMs,
);

async function moveClock(page: Page): Promise<void> {
  await go(page, 'Sandboxes');
  await page.locator(`main a[href*="${sandboxId}"]`).first().click();
  await page.getByRole('button', { name: '1 month', exact: true }).click();
  await press(page, 'Advance clock');
  await page.getByText('Advanced to 2026-02-28 10:00:00 UTC').waitFor();
  const stopped = page.waitForResponse(
    (response) => response.request().method() === 'DELETE' && response.url().endsWith('/advance'),
  );
  await press(page, 'Stop advance');
  expect((await stopped).status()).toBe(200);
}

async function createKey(page: Page): Promise<void> {
  await go(page, 'API keys');
  await press(page, 'New key');
  await page.locator('.dialog').getByLabel('Name').fill(hostile);
  const [reads, writes] = [page.getByLabel('customers:read'), page.getByLabel('customers:write')];
  await writes.check();
  await press(page, 'Read only');
  expect([await reads.isChecked(), await writes.isChecked()]).toEqual([true, false]);
  await look(page, 'read-only key');
  await press(page, 'Full access');
  expect(await reads.isChecked()).toBe(false);
  await reads.check();
  await pressInDialog(page, 'Create key');
  const curl = await page.getByRole('region', { name: 'curl command' }).textContent();
  const [, url = '', authorization = ''] =
    /^curl -s (\S+) -H 'Authorization: ([^']+)'$/.exec(curl ?? '') ?? [];
  secrets.push(authorization.replace('Bearer ', ''));
  const answer = await fetch(url, { headers: { Authorization: authorization } });
  expect([answer.status, await answer.json()]).toMatchObject([200, { data: [] }]);
  await look(page, 'new key');
  await press(page, 'Done');
  await page.locator('tr', { hasText: 'customers:read' }).getByRole('button').click();
  await pressInDialog(page, 'Revoke');
  await page.locator('.badge', { hasText: 'revoked' }).waitFor();
}

async function tellEndpoint(page: Page): Promise<void> {
  await go(page, 'Webhooks');
  await press(page, 'New endpoint');
  await page.getByLabel('URL').fill('nowhere');
  await pressInDialog(page, 'Add endpoint');
  await page.locator('.dialog').locator('.problem').waitFor();
  await look(page, 'endpoint refused');
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByLabel('Description').fill(hostile);
  await pressInDialog(page, 'Add endpoint');
  const secret = page.getByRole('region', { name: 'signing secret' });
  secrets.push((await secret.textContent()) ?? '');
  await page.getByRole('link', { name: receiver.url }).click();
  await press(page, 'Send test webhook');
  await page.locator('.badge', { hasText: 'delivered' }).waitFor();
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['webhook_endpoint.test']);
  await press(page, 'View');
  await page.getByRole('heading', { name: 'Attempt 1: 204' }).waitFor();
  await look(page, 'delivery');
  await pressInDialog(page, 'Close');
}

/** The first page of a new environment leads to a first payment, with sample data in one press. */
async function setUp(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  const steps = page.getByRole('list', { name: 'Set up billing' });
  await steps.getByRole('link', { name: 'Create product' }).waitFor();
  await look(page, 'home of a new sandbox');
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET') requests.push(`${pathname}${search}`);
  });
  await page.reload();
  await steps.waitFor();
  await page.locator('.skeleton-line').first().waitFor({ state: 'detached' });
  const calls = requests.filter((path) => /^\/(v1|dashboard\/api)\//.test(path));
  // A read that failed is repeated.
  expect(new Set(calls).size).toBeLessThanOrEqual(6);
  await press(page, 'Create sample data');
  const invoiced = page.locator('.figure', { hasText: 'Invoiced today in USD' });
  await invoiced.getByText('$130.00').waitFor();
  await page.getByText('Nothing needs your attention.').waitFor();
  await page.getByRole('button', { name: 'Create sample data' }).waitFor({ state: 'detached' });
  await look(page, 'home with sample data');
}

/** A viewer sees the reason at disabled buttons and closed pages. */
async function seeAsViewer(link: string): Promise<void> {
  await visit(browser, desktop, async (page) => {
    await page.goto(link);
    await page.getByLabel('Name').fill('Viewer');
    await page.getByLabel('Password').fill(password);
    await press(page, 'Accept and sign in');
    await page.waitForURL('**/dashboard/live');
    await go(page, 'API keys');
    expect(await page.getByRole('button', { name: 'New key' }).isDisabled()).toBe(true);
    await page.getByText('Viewers have read-only access.').waitFor();
    await go(page, 'Audit log');
    await page.getByText('Requires the owner or admin role.').waitFor();
    await look(page, 'audit log of a viewer');
    await page.getByRole('button', { name: 'Account: Viewer' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
  });
}

// The dark theme changes colors only; the phone width changes the layout.
const viewports: readonly (readonly [
  string,
  BrowserContextOptions,
  readonly string[] | undefined,
])[] = [
  ['in light on a desk', desktop, undefined],
  ['in the dark on a phone', { ...phone, colorScheme: 'dark' }, ['color-contrast']],
];

testInChromium.each(inTurn(viewports))(
  'every page of the navigation is accessible and fits the screen %s',
  async (name, looking, rules) => {
    await visit(browser, looking, async (page) => {
      await page.goto(`${system.gatewayUrl}/dashboard`);
      await look(page, `sign in ${name}`);
      await signIn(page);
      await enterSandbox(page, 'test');
      const place = page.url().replace(/\/$/, '');
      const links = await page.locator('#navigation a').all();
      const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
      const others = ['account', 'nothing', await requestPath(page), ...(await resourcePaths())];
      expect(paths.length).toBeGreaterThan(8);
      for (const path of [...paths, ...others.map((one) => `${place}/${one}`)]) {
        const address = new URL(path ?? '', place).href;
        // Navigates like a link, so that the scripts of the page and axe stay loaded.
        await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
        await page.locator('main h1').waitFor();
        const what = address.slice(place.length + 1).replaceAll('/', ' ') || 'home';
        await lookClosely(page, `${what.replace(uuids, 'one')} ${name}`, rules);
      }
    });
  },
  timeoutMs,
);

/** Path of the newest entry of the request log. */
async function requestPath(page: Page): Promise<string> {
  const [, , environmentId = ''] = new URL(page.url()).pathname.split('/');
  const asked = { headers: { 'Environment-Id': environmentId } };
  const { data } = await page.evaluate<{ data: readonly { entryId: string }[] }>(
    `fetch('/dashboard/api/requests', ${JSON.stringify(asked)}).then((answer) => answer.json())`,
  );
  return `developers/requests/${String(data[0]?.entryId)}`;
}

/** Paths of one resource of each kind in the sandbox. */
async function resourcePaths(): Promise<readonly string[]> {
  const kinds = ['customers', 'subscriptions', 'invoices', 'credit-notes', 'products'];
  return Promise.all(
    kinds.map(async (kind) => `${kind}/${String((await scene.read(`/${kind}`)).data[0].id)}`),
  );
}

testInChromium(
  'no log of any service contains a password, a token, a key or an email address',
  async () => {
    await sendLastRequest(system);
    const logs = await logsOf(system);
    expect(secrets.length).toBeGreaterThan(5);
    expect(secrets).not.toContain('');
    for (const [service, text] of logs) {
      expect([service, secrets.filter((secret) => text.includes(secret))]).toEqual([service, []]);
    }
  },
);
