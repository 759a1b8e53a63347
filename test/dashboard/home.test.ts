import { eventually } from '@billing/chassis/testing';
import type { Page } from 'playwright-core';
import { desktop, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { newAddress, OperatorClient, password } from '../support/operator-client';
import { card, Payer } from '../support/payer';
import { authorization, numbers, PortalScene, usd } from '../support/portal-scene';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { confirmDialog, fillIn, heading, press } from './page-actions';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

const address = newAddress();
let system: TestSystem;
let owner: OperatorClient;
let scene: PortalScene;
let receiver: WebhookReceiver;
/** Names of what home must name, by its task. */
const ids = { parked: '', endpoint: '', expiring: '' };

beforeAll(async () => {
  system = await joinTestSystem();
  // Cards expire in real time, which is before this.
  scene = new PortalScene(await system.live.manualSandbox('2033-01-31T00:00:00.000Z'));
  receiver = await startWebhookReceiver();
  const operator = await OperatorClient.owner(system, address);
  const { data } = (await operator.api('GET', '/environments')).body;
  owner = operator.in(data.find(({ name }: any) => name === 'test').id as string);
}, timeoutMs);

afterAll(async () => {
  await receiver.close();
});

async function today(): Promise<any> {
  const { status, body } = await owner.api('GET', '/reports/today');
  expect(status).toBe(200);
  return body;
}

/** A subscription whose usage of a month is over the largest invoice amount. */
async function parkSubscription(): Promise<string> {
  const customerId = await scene.customer({ name: 'Grace' });
  const { id: productId } = await scene.create('/products', { ...usd, name: 'Metered' });
  const meterId = await scene.price(productId, { name: 'Calls' }, { unitAmount: '1000000' });
  const terms = { customerId, productId, authorizedTransactionId: authorization() };
  const { id } = await scene.create('/subscriptions', terms);
  const used = { customerId, meterId, quantity: 2_000_000_000 };
  await scene.create('/events/ingest', { events: [used] });
  return id as string;
}

/** A customer whose first subscription is charged to a card that expires in March. */
async function payWithExpiringCard(): Promise<string> {
  const customerId = await scene.customer({ name: 'Margaret' });
  const { id: productId } = await scene.create('/products', usd);
  const payer = new Payer(system.gatewayUrl);
  // The later card becomes the default.
  for (const expiry of ['03/33', '03/43']) {
    const { checkoutUrl } = await scene.create('/checkout', { customerId, productId });
    await payer.submit(await payer.open(checkoutUrl as string), { ...card(), 'cc-exp': expiry });
  }
  return customerId;
}

test(
  'home reports what to do, and the sales of today and yesterday',
  async () => {
    const nothing = await today();
    expect(nothing).toMatchObject({
      sales: { data: [], isMore: false },
      failedPayments: [],
      failingEndpoints: [],
      expiringCards: { count: 0 },
      parkedSubscriptions: { isMore: false, subscriptions: [] },
      setup: { hasProduct: false, hasLink: false, hasPayment: false, hasEndpoint: false },
    });
    receiver.respond = () => 500;
    const endpoint = { url: receiver.url, events: ['*'] };
    ids.endpoint = (await scene.create('/webhook-endpoints', endpoint)).id as string;
    ids.parked = await parkSubscription();
    ids.expiring = await payWithExpiringCard();
    await scene.api.advanceTo('2033-02-28T12:00:00.000Z');
    await scene.subscribe(await scene.customer({ name: 'Bob' }));
    await scene.api.advanceTo('2033-03-01T12:00:00.000Z');
    const declined = { cardNumber: numbers.declined, plan: { amount: 4_700 } };
    await scene.subscribe(await scene.customer({ name: 'Cleo' }), declined);
    await scene.subscribe(await scene.customer({ name: 'Dora' }));
    const sum = (count: number, amount: number) => ({ count, amount });
    const expected = {
      sales: {
        data: [
          {
            currency: 'USD',
            today: { invoiced: sum(2, 7_600), paid: sum(1, 2_900) },
            // The renewals of Margaret, and the first charge of Bob; Grace is not billed.
            yesterday: { invoiced: sum(3, 8_700), paid: sum(3, 8_700) },
          },
        ],
        isMore: false,
      },
      failedPayments: [{ currency: 'USD', count: 1, amount: 4_700 }],
      failingEndpoints: [{ id: ids.endpoint, active: true }],
      expiringCards: {
        count: 1,
        cards: [
          { customerId: ids.expiring, customerName: 'Margaret', expiry: { month: 3, year: 2033 } },
        ],
      },
      parkedSubscriptions: {
        subscriptions: [
          { subscriptionId: ids.parked, customerName: 'Grace', reason: 'USAGE_TOO_LARGE' },
        ],
      },
      setup: { hasProduct: true, hasLink: false, hasPayment: true, hasEndpoint: true },
    };
    // An endpoint fails a moment after its events.
    await eventually(async () => {
      expect(await today()).toMatchObject(expected);
    });
  },
  timeoutMs,
);

async function signIn(page: Page, place: string): Promise<void> {
  await page.goto(`${system.gatewayUrl}${place}`);
  await page.getByLabel('Email').fill(address);
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
}

testInChromium(
  'an operator reads on home what to do, and each task leads to its page',
  async () => {
    const browser = await launchChromium(program!);
    await visit(browser, desktop, async (page) => {
      const place = `/dashboard/${owner.environmentId ?? ''}`;
      await signIn(page, place);
      const todos = page.getByRole('list', { name: 'To do' }).getByRole('listitem');
      const links = () =>
        todos.evaluateAll((items) =>
          items.map((item) => [
            item.textContent,
            item.querySelector('a.button')?.getAttribute('href'),
          ]),
        );
      const expected = [
        ['1 invoice with a failed payment: $47.00 openCollect', `${place}/dunning`],
        [
          'Metered of Grace is not billed: a usage bill is over the largest invoice amountOpen subscription',
          `${place}/subscriptions/${ids.parked}`,
        ],
        [
          expect.stringMatching(/^Webhooks fail at http.* since .*Review$/),
          `${place}/developers/webhooks/${ids.endpoint}`,
        ],
        [
          'Card of Margaret: Visa 4242, expiry 03/2033Open customer',
          `${place}/customers/${ids.expiring}`,
        ],
      ];
      // The page may still be drawn.
      await eventually(async () => {
        expect(await links()).toEqual(expected);
      });
      const figure = (name: string) => page.locator('.figure', { hasText: name });
      await figure('Invoiced today in USD').getByText('$76.00').waitFor();
      await figure('Invoiced today in USD').getByText('2 invoices · Yesterday $87.00').waitFor();
      await figure('Today’s invoices paid in USD').getByText('$29.00').waitFor();
    });
    await browser.close();
  },
  timeoutMs,
);

testInChromium(
  'an owner renames and deletes a sandbox, and a failure is not shown as a missing sandbox',
  async () => {
    const { id } = await system.live.expect(201, system.live.post('/sandboxes', { name: 'Trial' }));
    const browser = await launchChromium(program!);
    await visit(browser, desktop, async (page) => {
      const path = `**/dashboard/api/environments/${String(id)}`;
      const unavailable = { status: 503, json: { error: 'Service unavailable' } };
      await page.route(path, (route) => route.fulfill(unavailable));
      await signIn(page, `/dashboard/live/developers/sandboxes/${String(id)}`);
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      expect(await page.getByText('Sandbox not found').count()).toBe(0);
      await page.unroute(path);
      await press(page, 'Try again');
      await heading(page, 'Trial');
      await fillIn(page, { opener: 'Rename', confirm: 'Rename', fields: { name: 'Second trial' } });
      await heading(page, 'Second trial');
      await press(page, 'Delete');
      await page.locator('.dialog').getByText('Delete Second trial?').waitFor();
      await confirmDialog(page, 'Delete');
      await heading(page, 'Sandboxes');
      await page.getByText('Second trial').waitFor({ state: 'detached' });
      await page.goto(`${system.gatewayUrl}/dashboard/live/developers/sandboxes/${String(id)}`);
      await page.getByText('Sandbox not found').waitFor();
    });
    await browser.close();
  },
  timeoutMs,
);

testInChromium(
  'an endpoint is not shown as active while its deliveries cannot be loaded',
  async () => {
    const browser = await launchChromium(program!);
    await visit(browser, desktop, async (page) => {
      await page.route('**/dashboard/api/reports/webhooks', (route) =>
        route.fulfill({ status: 503, json: { error: 'Service unavailable' } }),
      );
      const place = `/dashboard/${owner.environmentId ?? ''}/developers/webhooks`;
      for (const path of [place, `${place}/${ids.endpoint}`]) {
        if (path === place) await signIn(page, path);
        else await page.goto(`${system.gatewayUrl}${path}`);
        await page.getByText('Could not be loaded').nth(1).waitFor();
        expect(await page.locator('.badge', { hasText: /^active$/i }).count()).toBe(0);
        expect(await page.getByText('No deliveries yet').count()).toBe(0);
      }
    });
    await browser.close();
  },
  timeoutMs,
);
