import type { Browser, Page } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { desktop, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { newAddress, OperatorClient, type RoleName } from '../support/operator-client';
import { product, unknownId } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { heading } from './page-actions';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

type Place = 'live' | 'sandbox';

const viewers = 'Viewers have read-only access.';
const developers = 'The developer role cannot change this in the live environment.';
/** Reason why a role may not change subscriptions and their prices; null: it may. */
const refusals: Readonly<Record<RoleName, Readonly<Record<Place, string | null>>>> = {
  OWNER: { live: null, sandbox: null },
  ADMIN: { live: null, sandbox: null },
  DEVELOPER: { live: developers, sandbox: null },
  VIEWER: { live: viewers, sandbox: viewers },
};
const cases = (Object.keys(refusals) as RoleName[]).flatMap((role) =>
  (['live', 'sandbox'] as const).map((place) => ({ role, place, reason: refusals[role][place] })),
);

const unknown = `/subscriptions/${unknownId}`;
/** The dialogs by the page that they are on, each with the call that it makes. */
const dialogs = [
  { page: 'waiting', button: 'Change plan', call: ['POST', `${unknown}/changes`] },
  { page: 'waiting', button: 'Pause', call: ['POST', `${unknown}/changes`] },
  { page: 'waiting', button: 'Cancel', call: ['POST', `${unknown}/cancel`] },
  { page: 'waiting', button: 'Take back', call: ['DELETE', `${unknown}/changes/${unknownId}`] },
  { page: 'paused', button: 'Resume', call: ['POST', `${unknown}/changes`] },
  { page: 'ending', button: 'Undo cancellation', call: ['POST', `${unknown}/uncancel`] },
  { page: 'migrations', button: 'New migration', call: ['POST', '/price-migrations'] },
  {
    page: 'migration',
    button: 'Cancel migration',
    call: ['POST', `/price-migrations/${unknownId}/cancel`],
  },
] as const;
type PageName = (typeof dialogs)[number]['page'];

let system: TestSystem;
let browser: Browser;
const clients = new Map<RoleName, OperatorClient>();
let environments: Readonly<Record<Place, string>>;
let pages: Readonly<Record<Place, Readonly<Record<PageName, string>>>>;

beforeAll(async () => {
  if (program === undefined) return;
  system = await joinTestSystem();
  browser = await launchChromium(program);
  const owner = await OperatorClient.owner(system, newAddress());
  clients.set('OWNER', owner);
  for (const role of ['ADMIN', 'DEVELOPER', 'VIEWER'] as const) {
    clients.set(role, await owner.colleague(role));
  }
  const { data } = (await owner.api('GET', '/environments')).body;
  const [live, sandbox] = data as { id: string }[];
  environments = { live: live?.id ?? '', sandbox: sandbox?.id ?? '' };
  pages = { live: await makePages(system.live), sandbox: await makePages(system.sandbox) };
}, timeoutMs);

afterAll(async () => {
  if (program !== undefined) await browser.close();
});

/** Subscriptions and a migration on whose pages all dialogs are. */
async function makePages(api: ApiClient): Promise<Record<PageName, string>> {
  const create = async (path: string, body: object) => api.expect(201, api.post(path, body));
  const seats = { ...product, type: 'PER_UNIT' };
  const { id: productId, priceId } = await create('/products', seats);
  const { priceId: toPriceId } = await create('/products', { ...seats, amount: 3900 });
  const { id: customerId } = await create('/customers', {
    email: 'ada@example.com',
    collectionMethod: 'SEND_INVOICE',
  });
  const subscribed = async () => {
    const { id } = await create('/subscriptions', { customerId, productId, quantity: 2 });
    return `/subscriptions/${String(id)}`;
  };
  const waiting = await subscribed();
  await create(`${waiting}/changes`, { quantity: 1, at: 'PERIOD_END' });
  const paused = await subscribed();
  await create(`${paused}/changes`, { kind: 'PAUSE', at: 'NOW' });
  const ending = await subscribed();
  await api.expect(200, api.post(`${ending}/cancel`, { atPeriodEnd: true }));
  const { id } = await create('/price-migrations', { fromPriceId: toPriceId, toPriceId: priceId });
  const migrations = '/price-migrations';
  return { waiting, paused, ending, migrations, migration: `${migrations}/${String(id)}` };
}

const clientOf = (role: RoleName, place: Place): OperatorClient => {
  const client = clients.get(role);
  if (client === undefined) throw new Error(`No operator is ${role}`);
  return client.in(environments[place]);
};

testInChromium.each(cases)(
  'the dialogs of changes and the calls that they make: to $role in $place refused by $reason',
  async ({ role, place, reason }) => {
    const client = clientOf(role, place);
    const [, value = ''] = client.cookie?.split('=') ?? [];
    await visit(browser, desktop, async (page, context) => {
      await context.addCookies([{ name: 'operator', value, url: system.gatewayUrl }]);
      const seen: unknown[] = [];
      for (const name of new Set(dialogs.map((dialog) => dialog.page))) {
        await page.goto(
          `${system.gatewayUrl}/dashboard/${dashboardPath(place)}${pages[place][name]}`,
        );
        await heading(page, /./);
        for (const { button } of dialogs.filter((dialog) => dialog.page === name)) {
          seen.push([button, await refusalAt(page, button)]);
        }
      }
      expect(seen).toEqual(dialogs.map(({ button }) => [button, reason]));
    });
    const answers: unknown[] = [];
    for (const { button, call } of dialogs) {
      const [method, path] = call;
      const { status } = await client.v1(method, path, method === 'POST' ? {} : undefined);
      // What is unknown or incomplete changes nothing.
      answers.push([button, status === 403 ? 'refused' : [400, 404].includes(status)]);
    }
    const expected = reason === null ? true : 'refused';
    expect(answers).toEqual(dialogs.map(({ button }) => [button, expected]));
  },
  timeoutMs,
);

const dashboardPath = (place: Place) => (place === 'live' ? 'live' : environments.sandbox);

/** Reason with which a button is disabled, null if it opens its dialog. */
async function refusalAt(page: Page, name: string): Promise<string | null> {
  const button = page.getByRole('button', { name, exact: true }).first();
  await button.waitFor();
  if (await button.isDisabled()) {
    const reason = await button.getAttribute('aria-describedby');
    return page.locator(`[id="${String(reason)}"]`).textContent();
  }
  await button.click();
  await page.locator('.dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.dialog').waitFor({ state: 'detached' });
  return null;
}
