import type { Browser } from 'playwright-core';
import { ApiClient } from '../support/api-client';
import { visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { newAddress, OperatorClient } from '../support/operator-client';
import { PortalScene } from '../support/portal-scene';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { customerPortal, walkAsCustomer } from './customer';
import { walkAsDeveloper } from './developer';
import type { Way } from './hands';
import { walkAsMerchant } from './merchant';
import { OperatorWalk } from './operator-walk';
import { payerPages, PayerWalk, walkAsPayer } from './payer';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;
const start = '2026-01-31T00:00:00.000Z';

/** Each person's walk through the pages that they use, in one way. */
export function describeWalks(way: Way): void {
  const owner = newAddress();
  let system: TestSystem;
  let browser: Browser;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    if (program === undefined) return;
    system = await joinTestSystem();
    await OperatorClient.owner(system, owner);
    receiver = await startWebhookReceiver();
    browser = await launchChromium(program);
  }, timeoutMs);

  afterAll(async () => {
    if (program === undefined) return;
    await browser.close();
    await receiver.close();
  });

  testInChromium(
    `${way.name} a developer creates a sandbox, a key and an endpoint, and moves the clock`,
    async () => {
      await visit(browser, way.viewing, async (page) => {
        const walk = new OperatorWalk(page, way);
        await page.goto(`${system.gatewayUrl}/dashboard/live/developers/sandboxes`);
        await walk.signIn(owner);
        await walkAsDeveloper(walk, { name: `Walk ${way.name}`, endpointUrl: receiver.url });
      });
    },
    timeoutMs,
  );

  testInChromium(
    `${way.name} a merchant prices, sells, credits, changes and collects`,
    async () => {
      const { live } = system;
      const sandbox = { name: `Sales ${way.name}`, clock: 'MANUAL', startsAt: start };
      const { id, key } = await live.expect(201, live.post('/sandboxes', sandbox));
      const scene = new PortalScene(new ApiClient(system.gatewayUrl, String(key)));
      await visit(browser, way.viewing, async (page) => {
        const walk = new OperatorWalk(page, way);
        await page.goto(`${system.gatewayUrl}/dashboard/${String(id)}`);
        await walk.signIn(owner);
        await page.getByText('Sandbox time:').waitFor();
        await walkAsMerchant(walk, scene);
      });
    },
    timeoutMs,
  );

  testInChromium(
    `${way.name} a payer types a code, is refused, answers their bank, and pays an invoice`,
    async () => {
      const pages = await payerPages(await PortalScene.begin(system), 'HALF');
      await visit(browser, way.viewing, async (page) => {
        await walkAsPayer(new PayerWalk(page, way), pages);
      });
    },
    timeoutMs,
  );

  testInChromium(
    `${way.name} a customer pays, changes card, address and plan, and stays`,
    async () => {
      const url = await customerPortal(await PortalScene.begin(system));
      await visit(browser, way.viewing, async (page) => {
        await walkAsCustomer(new PayerWalk(page, way), url);
      });
    },
    timeoutMs,
  );
}
