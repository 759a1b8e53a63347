import { eventually } from '@billing/chassis/testing';
import { type ServiceName, serviceNames } from '@billing/local/services';
import { expectInvariants } from '../invariants/expectation';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { Installation, type MixedInstallation } from './installation';
import { beginLife, type Life } from './life';
import { loadFor } from './load';
import { formerRelease, presentRelease, type Release } from './releases';

jest.setTimeout(600_000);

// The variable is for work on these tests.
const seconds = Number(process.env.UPGRADE_LOAD_SECONDS ?? '60');
const backends = serviceNames.filter((name) => name !== 'gateway');

/** Both releases serve one system, with the settings of the former one, as during a roll-out. */
describe('a system of two releases', () => {
  let former: Release;
  let installation: Installation;
  let system: MixedInstallation;
  let receiver: WebhookReceiver;
  let life: Life;

  beforeAll(async () => {
    former = formerRelease();
    installation = await Installation.create();
    receiver = await startWebhookReceiver();
    const first = await installation.launch(former);
    life = await beginLife(first, receiver);
    await first.stop();
    system = await installation.startMixed(former);
  });

  afterAll(async () => {
    await system.stop();
    await receiver.close();
    await installation.remove();
  });

  async function expectServes(): Promise<void> {
    const api = system.client(life.key);
    await eventually(async () => {
      for (const path of ['/customers', '/subscriptions', '/invoices', '/discounts', '/meters']) {
        await api.expect(200, api.get(path));
      }
    });
    const { failures, requests } = await loadFor(seconds, api, life);
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(50);
    expect(await installation.poisoned()).toEqual([]);
  }

  test('a gateway of this release serves with services of the former one', async () => {
    await system.replace(['gateway'], presentRelease);
    await expectServes();
  });

  test('a gateway of the former release serves with services of this one', async () => {
    await system.replace(['gateway'], former);
    await system.replace(backends, presentRelease);
    await expectServes();
  });

  test.each<ServiceName>([...backends])('%s of the former release serves alone', async (name) => {
    await system.replace(['gateway'], presentRelease);
    await system.replace([name], former);
    await expectServes();
    await system.replace([name], presentRelease);
  });

  test('the mixture breaks no invariant and logs no error', async () => {
    await expectInvariants(system, system.client(life.key), { receivers: [receiver] });
    expect(await installation.loggedErrors()).toEqual([]);
  });
});
