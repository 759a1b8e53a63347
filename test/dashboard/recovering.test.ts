import type { Browser, Page } from 'playwright-core';
import { newId } from '@billing/chassis/ids';
import { Restores } from '@billing/chassis/restores';
import { SystemStore } from '@billing/chassis/system-store';
import { eventually } from '@billing/chassis/testing';
import { serviceNames } from '@billing/local/services';
import { type Db, MongoClient } from 'mongodb';
import { expectAccessible, desktop, viewports, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { newAddress, OperatorClient, password } from '../support/operator-client';
import { type OwnTestSystem, startTestSystem } from '../support/test-system';
import { heading, look, press } from './page-actions';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;

const at = new Date();
const instant = new Date(at.getTime() - 3_600_000);
const restore = { id: newId(), code: 'WH5C2', at, instant };
const charge = {
  provider: 'stripe',
  providerPaymentId: 'pi_3OqT2eLkdIwHu7ix1a2b3c4d',
  amount: 2_900,
  currency: 'USD',
  createdAt: instant.toISOString(),
  metadata: {},
};
const finding = {
  invariant: 'missing_reference',
  text: `subscription ${newId()} names customer ${newId()}, which does not exist`,
};
const report = {
  restoreId: restore.id,
  steps: [
    { step: 'fence', counts: { 'catalog.purged': 0 } },
    { step: 'number', counts: {} },
    { step: 'provider', counts: { 'checkout.charges': 3, 'checkout.unmatched': 1 } },
    { step: 'check', counts: { findings: 1, unmatchedCharges: 1 } },
  ],
  findings: [finding],
  unmatchedCharges: [charge],
};

let system: OwnTestSystem;
let client: MongoClient;
let databases: readonly Db[];
let owner: OperatorClient;
let viewer: OperatorClient;
let address = '';

beforeAll(async () => {
  system = await startTestSystem({ ownProcess: true });
  address = newAddress();
  owner = await OperatorClient.owner(system, address);
  const email = newAddress();
  const { body } = await owner.api('POST', '/operators', { email, role: 'VIEWER' });
  viewer = new OperatorClient(system.gatewayUrl);
  await viewer.accept(body.link as string, email);
  const owners = serviceNames.filter((name) => name !== 'gateway');
  const places = owners.map((name) => system.databaseOf(name));
  client = await MongoClient.connect(places[0]?.uri ?? '');
  databases = places.map(({ database }) => client.db(database));
}, 600_000);

afterAll(async () => {
  await client.close();
  await system.stop();
});

/** Closes the databases of the running system, as a restore does before a start. */
async function closeSystem(): Promise<void> {
  for (const db of databases) {
    await new Restores(db).record(restore);
    await new SystemStore(db).close();
    await new SystemStore(db).recoverFrom(restore);
  }
  await eventually(async () => {
    expect((await fetch(`${system.gatewayUrl}/readyz`)).status).toBe(503);
  });
}

async function openSystem(): Promise<void> {
  for (const db of databases) {
    await new Restores(db).recordOpening(restore.id, new Date());
    await new SystemStore(db).open();
  }
}

const recordReport = () =>
  Promise.all(
    databases.map((db) => new Restores(db).recordReport(restore.id, JSON.stringify(report))),
  );

const refused = [503, 'recovering', '30', { error: 'Service unavailable' }];
// A checkout answers 500 for every 503.
const refusedCheckout = [500, 'internal', '30', { error: 'Internal server error' }];
const refusalOf = (method: string, path: string) =>
  method === 'POST' && path === '/v1/checkout' ? refusedCheckout : refused;

async function answerOf(method: string, path: string): Promise<unknown[]> {
  const answer = await fetch(`${system.gatewayUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: { Authorization: `Bearer ${system.sandboxKey}`, 'Content-Type': 'application/json' },
    ...(method !== 'GET' && method !== 'DELETE' && { body: '{}' }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  const headers = ['error-code', 'retry-after'].map((name) => answer.headers.get(name));
  return [answer.status, ...headers, isJson ? JSON.parse(text) : text];
}

/** All operations of the API, with ids that may exist. */
async function operations(): Promise<readonly (readonly [string, string])[]> {
  const { paths } = (await (await fetch(`${system.gatewayUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, newId())] as const),
  );
}

async function seeClosedPage(page: Page): Promise<void> {
  await heading(page, 'System');
  await page.getByText('This system is recovering from a restore and is closed.').waitFor();
  await page.getByText('npm run reconcile -- --open "REASON"').waitFor();
  await page.getByText(finding.text).waitFor();
  await page.getByText('Lost by its service').waitFor();
  await page.getByText('$29.00').waitFor();
  await page.getByText('INV-WH5C2-000001').waitFor();
  await page.getByText(/^API keys that were revoked are valid/).waitFor();
  await page.getByText(/^\d+ replicas run version /).waitFor();
}

/** Signs in on the closed system and looks at its page in each width and theme. */
async function seeClosedSystem(browser: Browser): Promise<void> {
  for (const [name, options] of viewports) {
    await visit(browser, options, async (page) => {
      await page.goto(`${system.gatewayUrl}/dashboard/live/customers`);
      await heading(page, 'Sign in');
      await page.getByLabel('Email').fill(address);
      await page.getByLabel('Password').fill(password);
      await press(page, 'Sign in');
      await seeClosedPage(page);
      await expectAccessible(page);
      await look(page, `closed system ${name}`);
    });
  }
}

test('a closed system answers only probes, the sign-in and the System page', async () => {
  const all = await operations();
  expect((await answerOf('GET', '/docs'))[0]).toBe(200);
  await closeSystem();
  const unserved = ['/', '/docs', '/openapi.json', '/asyncapi.json', '/llms.txt'];
  const paths = [...all, ...unserved.map((path) => ['GET', path] as const)];
  const answers = await Promise.all(
    paths.map(async ([method, path]) => [method, path, ...(await answerOf(method, path))]),
  );
  const probes = new Set(['/healthz', '/readyz']);
  expect(answers.filter(([, path]) => !probes.has(path as string))).toEqual(
    paths
      .filter(([, path]) => !probes.has(path))
      .map(([method, path]) => [method, path, ...refusalOf(method, path)]),
  );
  expect((await answerOf('GET', '/healthz'))[0]).toBe(200);
  expect(await answerOf('GET', '/readyz')).toEqual(refused);
  expect((await owner.api('GET', '/team')).status).not.toBe(200);

  const { body } = await owner.api('GET', '/session');
  const { id, code } = restore;
  const usageToResend = { from: instant.toISOString(), until: null };
  const shown = { id, code, at: at.toISOString(), instant: instant.toISOString(), usageToResend };
  expect(body.recovery).toEqual({ state: 'RECOVERING', restore: shown, step: null });
  expect((await owner.api('GET', '/system')).body).toMatchObject({
    recovery: { state: 'RECOVERING' },
    report: null,
  });
  await recordReport();
  const { steps, findings, unmatchedCharges } = report;
  expect((await owner.api('GET', '/system')).body.report).toEqual({
    steps,
    findings,
    unmatchedCharges,
  });
  expect((await viewer.api('GET', '/system')).body.report).toEqual({
    steps,
    findings: null,
    unmatchedCharges: null,
  });
}, 600_000);

testInChromium(
  'an owner sees what was found, and after the opening what to do again',
  async () => {
    const browser = await launchChromium(program ?? '');
    await closeSystem();
    await recordReport();
    try {
      await seeClosedSystem(browser);
      await visit(browser, desktop, async (page, context) => {
        const [name = '', value = ''] = (owner.cookie ?? '').split('=');
        await context.addCookies([{ name, value, url: system.gatewayUrl }]);
        await page.goto(`${system.gatewayUrl}/dashboard/live/customers`);
        await seeClosedPage(page);
        await openSystem();
        // The page notices the opening, and shows what was asked for.
        await heading(page, 'Customers');
        await page.getByText(/^Restored to /).waitFor();
        await page.getByRole('link', { name: 'What else to do' }).click();
        await heading(page, 'System');
        const again = page.getByRole('link', { name: /^API keys that were revoked are valid/ });
        await look(page, 'restored system');
        await again.click();
        await heading(page, 'API keys');
      });
      for (const [name, options] of viewports) {
        await visit(browser, options, async (page, context) => {
          const [cookie = '', value = ''] = (owner.cookie ?? '').split('=');
          await context.addCookies([{ name: cookie, value, url: system.gatewayUrl }]);
          await page.goto(`${system.gatewayUrl}/dashboard/live/system`);
          await page.getByText('This system was restored to').waitFor();
          await expectAccessible(page);
          await look(page, `restored system ${name}`);
        });
      }
    } finally {
      await browser.close();
    }
  },
  600_000,
);

test('a restore of 30 days ago is no longer shown', async () => {
  await openSystem();
  const openedAt = new Date(at.getTime() - 30 * 24 * 3_600_000);
  for (const db of databases) {
    await db.collection('restores').updateOne({}, { $set: { openedAt } });
  }
  await eventually(async () => {
    expect((await owner.api('GET', '/session')).body.recovery).toBeNull();
  });
});
