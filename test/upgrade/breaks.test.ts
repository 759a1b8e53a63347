import { eventually } from '@billing/chassis/testing';
import { expectInvariants } from '../invariants/expectation';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { differences } from './differences';
import { Installation, type MixedInstallation } from './installation';
import { beginLife, type Life } from './life';
import { readEnvironment } from './reading';
import { type Edit, formerRelease, presentRelease, type Release } from './releases';

jest.setTimeout(600_000);

const customerStore = 'services/customer/dist/store.js';
const announced = 'services/chassis/dist/aggregates/announced-changes.js';

/** This release with faults, which `upgrade.test.ts` and `mixed.test.ts` must notice. */
function faulty(...edits: readonly Edit[]): Release {
  return { ...presentRelease, edits };
}

const withRenamedField = faulty(
  { file: customerStore, from: 'metadata: JSON.stringify(', to: 'meta: JSON.stringify(' },
  {
    file: customerStore,
    from: 'JSON.parse(document.metadata)',
    to: 'JSON.parse(document.meta ?? "{}")',
  },
);
const withDroppedIndex = faulty(
  {
    file: customerStore,
    from: "{ name: 'email', keys: { email: 1, createdAt: -1, _id: -1 } },",
    to: '',
  },
  {
    file: 'services/chassis/dist/mongo/mongo.js',
    from: 'const missing = indexes.filter(',
    to: `for (const name of existing.keys()) {
      if (name !== '_id_' && !indexes.some((one) => one.name === name)) await collection.dropIndex(name);
    }
    const missing = indexes.filter(`,
  },
);
const withChangedIndex = faulty({
  file: customerStore,
  from: "{ name: 'email', keys: { email: 1, createdAt: -1, _id: -1 } },",
  to: "{ name: 'email', keys: { email: 1, createdAt: 1, _id: 1 } },",
});
const withNewRequiredSetting = faulty({
  file: 'services/discount/dist/config.js',
  from: 'SUBSCRIPTION_ADDRESS: address,',
  to: 'SUBSCRIPTION_ADDRESS: address, DISCOUNT_LIMIT: address,',
});
const withNewEventKind = faulty({ file: announced, from: "'updated'", to: "'relabelled'" });
const withoutDeferral: Edit = {
  file: 'services/notifier/dist/message/events.js',
  from: 'isKnownEventType)(type) ?',
  to: 'isKnownEventType)(type) || (() => { throw new Error("unknown type"); })() ?',
};

describe('a release that breaks what the former one has', () => {
  let former: Release;
  let installation: Installation;
  let system: MixedInstallation;
  let receiver: WebhookReceiver;
  let life: Life;
  let document: any;

  beforeAll(async () => {
    former = formerRelease();
    installation = await Installation.create();
    receiver = await startWebhookReceiver();
    const first = await installation.launch(former);
    life = await beginLife(first, receiver);
    document = await (await fetch(`${first.gatewayUrl}/openapi.json`)).json();
    // Waits until every webhook is delivered, so that two readings are equal.
    await expectInvariants(first, first.client(life.key), { receivers: [receiver] });
    await first.stop();
    system = await installation.startMixed(former);
  });

  afterAll(async () => {
    await system.stop();
    await receiver.close();
    await installation.remove();
  });

  const api = () => system.client(life.key);
  const readAll = async () =>
    Object.fromEntries((await readEnvironment(api(), document, life)).answers);

  /** Changes a customer; the event of the change is of a new kind. */
  async function announceChange(): Promise<string> {
    const email = 'kind@example.com';
    const { id } = await api().expect(201, api().post('/customers', { email }));
    const change = { body: { name: 'Changed' } };
    await api().expect(200, api().request('PATCH', `/customers/${String(id)}`, change));
    return String(id);
  }

  test('a field that is stored under a new name is found by reading', async () => {
    const before = await readAll();
    await system.replace(['customer'], withRenamedField);
    const found = differences(before, await readAll());
    expect(found).toContainEqual(expect.stringMatching(/\.metadata\.team: .* became nothing$/));
    await system.replace(['customer'], presentRelease);
    expect(differences(before, await readAll())).toEqual([]);
  });

  test('an index that is dropped is found by comparing them', async () => {
    const before = await installation.indexes();
    await system.replace(['customer'], withDroppedIndex);
    const kept = new Set(await installation.indexes());
    expect(before.filter((name) => !kept.has(name))).toContain('customer.customers.email');
    await system.replace(['customer'], presentRelease);
  });

  test('an index with other keys under its name does not start', async () => {
    const replaced = system.replace(['customer'], withChangedIndex);
    await expect(replaced).rejects.toThrow(/customers\.email has other keys/);
    await system.replace(['customer'], presentRelease);
  });

  test('a new setting without a default does not start with the settings of the former release', async () => {
    const replaced = system.replace(['discount'], withNewRequiredSetting);
    await expect(replaced).rejects.toThrow(/DISCOUNT_LIMIT/);
    await system.replace(['discount'], presentRelease);
  });

  test('an event of a new kind waits in the former release', async () => {
    await system.replace(['customer'], withNewEventKind);
    const customerId = await announceChange();
    await eventually(async () => {
      expect(await installation.awaited()).toContain(customerId);
    });
    expect(await installation.poisoned()).toEqual([]);
  });

  test('an event of a new kind is set aside if it is not deferred', async () => {
    await system.replace(['notifier'], { ...former, edits: [withoutDeferral] });
    await announceChange();
    await eventually(async () => {
      expect(await installation.poisoned()).not.toEqual([]);
    });
  });
});
