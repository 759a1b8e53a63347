import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import type { Delivery } from './delivery/delivery';
import { type RunningNotifier, startSystem, type TestSystem } from './testing/system';

// A request with less than two seconds left by the service's clock is refused before its first
// write; see StoringGate. By the real clock calls have 25 s, so that the refusal arrives in time.
const deadlineMs = 25_000;
const lateByMs = deadlineMs - 1_000;
let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };

const collections = [
  'webhookEndpoints',
  'webhookEndpointSlots',
  'messages',
  'deliveries',
  'endpointTests',
  'replays',
];

describe('a call with too little time left', () => {
  const tenant = testTenant();
  const subscriptionId = newId();
  let system: TestSystem;
  let notifier: RunningNotifier;
  let endpointId: string;
  let delivery: Delivery;

  beforeAll(async () => {
    system = await startSystem('late');
    notifier = await system.startNotifier({ clock });
    ({ id: endpointId } = await notifier.register(tenant, '/late'));
    await system.owner.announce(tenant, subscriptionId);
    delivery = await eventually(async () => {
      const found = await stored('deliveries');
      expect(found).toMatchObject([{ status: 'DELIVERED' }]);
      return found[0] as unknown as Delivery;
    });
  });

  afterEach(() => {
    clockOffsetMs = 0;
  });

  afterAll(() => system.close());

  const stored = (name: string) =>
    system.mongo.db
      .collection(name)
      .find({ environmentId: tenant.environmentId })
      .sort({ _id: 1 })
      .toArray();

  const calls: [string, (context: CallContext) => Promise<unknown>][] = [
    [
      'registers no endpoint',
      (context) =>
        notifier.calls.createWebhookEndpoint(
          { url: 'https://example.com/', events: [], description: undefined, active: undefined },
          context,
        ),
    ],
    [
      'changes no endpoint',
      (context) =>
        notifier.calls.updateWebhookEndpoint(
          {
            ...{ id: endpointId, url: undefined, events: [], active: undefined },
            ...{ description: 'late', updateMask: ['description'] },
          },
          context,
        ),
    ],
    [
      'rotates no secret',
      (context) => notifier.calls.rotateWebhookSecret({ id: endpointId }, context),
    ],
    [
      'sends no test webhook',
      (context) => notifier.deliveryCalls.sendTestWebhook({ id: endpointId }, context),
    ],
    [
      'retries no delivery',
      (context) =>
        notifier.deliveryCalls.retryWebhookDelivery({ endpointId, id: delivery._id }, context),
    ],
    [
      'replays nothing',
      (context) =>
        notifier.deliveryCalls.replayWebhooks(
          { endpointId, since: new Date(0), all: true },
          context,
        ),
    ],
    [
      'deletes no endpoint',
      (context) => notifier.calls.deleteWebhookEndpoint({ id: endpointId }, context),
    ],
  ];

  test.each(calls)('%s', async (_what, call) => {
    const before = await Promise.all(collections.map(stored));
    clockOffsetMs = lateByMs;
    await expect(call(testContext({ tenant, deadlineMs }))).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'TOO_LATE_TO_STORE',
    });
    expect(await Promise.all(collections.map(stored))).toEqual(before);
  });
});
