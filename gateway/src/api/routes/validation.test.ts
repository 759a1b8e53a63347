import { z } from 'zod';
import { testContext } from '@billing/chassis/testing';
import type { Peers } from '../../peer/peers';
import type { ApiRequest } from '../input/request';
import { routes as allRoutes } from '../routes';
import type { Route, RouteTools } from './route';
import { apiKeyRoutes } from './api-keys';
import { checkoutLinkRoutes } from './checkout-links';
import { sandboxRoutes } from './sandboxes';
import { subscriptionRoutes } from './subscriptions/subscriptions';
import { webhookEndpointRoutes } from './webhooks/webhook-endpoints';

const routes: readonly Route[] = [
  ...apiKeyRoutes,
  ...checkoutLinkRoutes,
  ...sandboxRoutes,
  ...subscriptionRoutes,
  ...webhookEndpointRoutes,
];
const now = new Date('2026-01-05T12:00:00.000Z');
// A refused body is never sent to a service.
const noPeers = {} as Peers;
const noTools = {} as RouteTools;

async function refusedFields(call: string, body: object): Promise<unknown> {
  const [method, path] = call.split(' ');
  const route = routes.find((one) => one.method === method && one.path === path);
  if (route === undefined) throw new Error(`No route ${call}`);
  const request = { params: { id: 'id' }, query: {}, body, context: testContext({ now }) };
  try {
    await route.handle(request as unknown as ApiRequest, noPeers, noTools);
    return undefined;
  } catch (error) {
    return (error as { fields?: unknown }).fields;
  }
}

test.each([
  [
    'POST /webhook-endpoints',
    { url: 'ftp://x', events: ['x'], headerPrefix: 'Webhook', description: 5 },
    {
      url: ['Must be an absolute http or https URL'],
      events: ['0: Unknown event'],
      headerPrefix: ['Invalid header prefix'],
      description: [expect.any(String)],
    },
  ],
  [
    'PATCH /webhook-endpoints/:id',
    { active: null, headerPrefix: '-', description: 'two\nlines', secret: 'x' },
    {
      active: ['Required'],
      headerPrefix: ['Invalid header prefix'],
      description: ['Must not contain control characters'],
      secret: ['Cannot be changed'],
    },
  ],
  [
    'POST /api-keys',
    { scopes: ['customers:read', 'x', 'nothing:read'], expiresAt: '2020-01-01T00:00:00Z' },
    {
      name: ['Required'],
      scopes: ['1: Invalid scope', '2: Unknown scope'],
      expiresAt: ['Must be in the future'],
    },
  ],
  [
    'POST /api-keys',
    { name: ' ', scopes: 5 },
    { name: ['Required'], scopes: [expect.any(String)] },
  ],
  [
    'POST /sandboxes',
    { name: 5, startsAt: '2026-01-31T00:00:00Z' },
    { name: [expect.any(String)], startsAt: ['Requires a manual clock'] },
  ],
  [
    'POST /sandboxes',
    { name: 'two\nlines', clock: 'X', startsAt: '9500-01-01T00:00:00Z' },
    {
      name: ['Must not contain control characters'],
      clock: [expect.any(String)],
      startsAt: ['Must be in the years 1970 to 8999'],
    },
  ],
  [
    'PATCH /sandboxes/:id',
    { name: 'two\nlines', clock: 'REAL', startsAt: '2026-01-31T00:00:00Z', now: 1 },
    {
      name: ['Must not contain control characters'],
      clock: ['Cannot be changed'],
      startsAt: ['Cannot be changed'],
      now: ['Cannot be changed'],
    },
  ],
  [
    'POST /subscriptions',
    { customerId: 5, productId: 'x', startAt: '2031-01-05T12:00:00.001Z', quantity: 0 },
    {
      customerId: [expect.any(String)],
      startAt: ['Must be at most five years ahead'],
      quantity: [expect.any(String)],
    },
  ],
])(
  '%s reports all problems of shape and of bounds in one response: %j',
  async (call, body, fields) => {
    expect(await refusedFields(call, body)).toEqual(fields);
  },
);

// Without a maximum, each element of a large body would get a message.
test.each([
  ['POST /api-keys', { name: 'x', scopes: wrong(101) }, 'scopes', 100],
  ['POST /checkout-links', { label: 'x', productIds: ['x'], collect: wrong(101) }, 'collect', 100],
  ['PATCH /checkout-links/:id', { collect: wrong(101) }, 'collect', 100],
])('%s has one message for a list that is too long', async (call, body, field, max) => {
  const fields = { [field]: [`Must have at most ${String(max)} elements`] };
  expect(await refusedFields(call, body)).toEqual(fields);
});

function wrong(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

test.each(
  allRoutes.flatMap(({ operation: { id, body, query } }) =>
    [body, query].flatMap((schema) => (schema === undefined ? [] : [[id, schema] as const])),
  ),
)('every list in a request of %s has a maximum', (_id, schema) => {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  expect(unboundedLists(described, 'request')).toEqual([]);
});

/** Paths of the lists without a maximum in a JSON schema. */
function unboundedLists(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const isUnbounded = 'type' in schema && schema.type === 'array' && !('maxItems' in schema);
  const nested = Object.entries(schema).flatMap(([name, value]) =>
    unboundedLists(value, `${path}.${name}`),
  );
  return isUnbounded ? [path, ...nested] : nested;
}
