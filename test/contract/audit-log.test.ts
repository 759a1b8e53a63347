import { eventually } from '@billing/chassis/testing';
import { newAddress, OperatorClient } from '../support/operator-client';
import { uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startMs = 600_000;
const address = newAddress();

let system: TestSystem;
let owner: OperatorClient;
let sandbox: string;

beforeAll(async () => {
  system = await joinTestSystem();
  owner = await OperatorClient.owner(system, address);
  const { body } = await owner.api('GET', '/environments');
  [, sandbox] = body.data.map(({ id }: { id: string }) => id);
}, startMs);

const idOf = async (client: OperatorClient) =>
  (await client.api('GET', '/session')).body.operator.id as string;
const entries = async (): Promise<any[]> =>
  (await owner.api('GET', '/audit?perPage=100')).body.data;

/** The whole audit log, one entry a line. */
async function exported(): Promise<string> {
  const response = await fetch(`${system.gatewayUrl}/dashboard/api/audit.ndjson`, {
    headers: { Cookie: owner.cookie ?? '', 'Sec-Fetch-Site': 'same-origin' },
  });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  return response.text();
}

const terms = { type: 'FLAT', currency: 'USD', amount: 100, billingInterval: 'MONTHLY' };
const product = { name: 'Audited', ...terms };

test('records what an operator changed, with both values', async () => {
  const there = owner.in(sandbox);
  const { id } = (await there.v1('POST', '/products', product)).body;
  await there.v1('PATCH', `/products/${String(id)}`, { active: false, description: 'Gone' });
  const [changed, made] = (await entries()).filter((one) => one.target?.id === id);
  expect(changed).toMatchObject({
    target: { type: 'product', id, name: 'Audited', currency: 'USD' },
    changes: { active: { from: true, to: false }, description: { from: null, to: 'Gone' } },
  });
  expect(made.changes).toMatchObject({ name: { to: 'Audited' }, amount: { to: 100 } });
});

test('names the operator or the environment of a write', async () => {
  const colleague = await idOf(await owner.colleague('VIEWER'));
  await owner.api('PATCH', `/operators/${colleague}`, { role: 'DEVELOPER' });
  const to = new Date(Date.now() + 86_400_000).toISOString();
  await owner.in(sandbox).v1('POST', '/sandboxes/clock/advance', { to });
  const all = await entries();
  const changed = all.find(({ target }) => target?.id === colleague);
  expect(all.find(({ action }) => action.endsWith('/clock/advance'))?.target).toMatchObject({
    ...{ type: 'sandbox', id: sandbox },
  });
  expect(changed).toMatchObject({
    target: { type: 'operator', id: colleague, name: expect.stringMatching(/./) },
    changes: { role: { from: 'VIEWER', to: 'DEVELOPER' } },
  });
});

test('records writes of API keys, in the background, and refused ones too', async () => {
  const { id } = await system.sandbox.expect(
    201,
    system.sandbox.post('/customers', { email: 'audited@example.com' }),
  );
  await system.sandbox.post('/customers', { email: 7 });
  await system.sandbox.get('/customers');
  const found = await eventually(async () => {
    const { data } = (await owner.api('GET', `/audit?targetId=${String(id)}`)).body;
    expect(data).toHaveLength(1);
    return data[0];
  });
  expect(found).toMatchObject({
    actor: { type: 'API_KEY', id: expect.stringMatching(uuid), email: null },
    address: '127.0.0.1',
    action: 'POST /v1/customers',
    changes: { email: {} },
    environmentId: sandbox,
    status: 201,
  });
  await eventually(async () => {
    const { data } = (await owner.api('GET', `/audit?actorId=${String(found.actor.id)}`)).body;
    expect(data.map(({ status }: { status: number }) => status)).toEqual([400, 201]);
  });
  // The list looks the customer up; the log does not keep personal data.
  expect(found.names).toEqual({ [String(id)]: 'audited@example.com' });
  expect(await exported()).not.toContain('audited@example.com');
});

test('names what the fields of a write refer to, in the list alone', async () => {
  const there = owner.in(sandbox);
  const { id: customerId } = (
    await there.v1('POST', '/customers', { email: 'named@example.com', name: 'Nora' })
  ).body;
  const { id: productId } = (await there.v1('POST', '/products', product)).body;
  const { id } = (await there.v1('POST', '/subscriptions', { customerId, productId })).body;
  await there.v1('POST', `/subscriptions/${String(id)}/cancel`, {});
  await there.v1('POST', '/checkout-links', { label: 'Team', productIds: [productId] });
  const listed = (await entries()) as { action: string; names: Record<string, string> }[];
  const namesOf = (action: string) => listed.find((one) => one.action === action)?.names;
  expect(namesOf('POST /v1/subscriptions/:id/cancel')).toEqual({
    [String(id)]: 'Audited of Nora',
  });
  expect(namesOf('POST /v1/checkout-links')).toEqual({ [String(productId)]: 'Audited' });
  expect(await exported()).not.toContain('Nora');
});

test('lists under a customer what belongs to the customer, and in the activity', async () => {
  const there = owner.in(sandbox);
  const created = async (path: string, body: object) => {
    const answer = await there.v1('POST', path, body);
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body;
  };
  const { id: customerId } = await created('/customers', { email: 'owned@example.com' });
  const { id: productId } = await created('/products', product);
  const portal = await created('/portal/sessions', { customerId });
  const checkout = await created('/checkout', { customerId, productId });
  const entry = { amount: 500, currency: 'USD', description: 'Goodwill' };
  await created('/balance-entries', { customerId, ...entry });
  const actions = [
    'POST /v1/balance-entries',
    'POST /v1/checkout',
    'POST /v1/portal/sessions',
    'POST /v1/customers',
  ];
  const { data } = (await owner.api('GET', `/audit?targetId=${String(customerId)}`)).body;
  expect(data.map(({ action }: { action: string }) => action)).toEqual(actions);
  expect(data[1].target).toMatchObject({ type: 'checkout_session', id: checkout.sessionId });
  expect(data[2].target).toMatchObject({ id: portal.sessionId });
  const activity = (await there.api('GET', `/customers/${String(customerId)}/activity`)).body;
  const changes = activity.data.filter(({ kind }: { kind: string }) => kind === 'CHANGE');
  expect(new Set(changes.map(({ entry }: any) => entry.action))).toEqual(new Set(actions));
});

test('lists the oldest entry first with order=asc', async () => {
  const idsOf = async (query: string) =>
    ((await owner.api('GET', `/audit?${query}`)).body.data as { id: string }[]).map(({ id }) => id);
  const actorId = await idOf(owner);
  const newest = await idsOf(`actorId=${actorId}&perPage=100`);
  expect(newest.length).toBeGreaterThan(2);
  expect(await idsOf(`actorId=${actorId}&perPage=100&order=asc`)).toEqual(newest.toReversed());
});

test('names the former values of what an API key changes', async () => {
  const api = system.sandbox;
  const { id } = await api.expect(201, api.post('/products', product));
  const change = { active: false };
  await api.expect(200, api.request('PATCH', `/products/${String(id)}`, { body: change }));
  await api.expect(200, api.request('PATCH', '/portal/settings', { body: { quantity: true } }));
  await eventually(async () => {
    const { data } = (await owner.api('GET', `/audit?targetId=${String(id)}`)).body;
    expect(data[0]).toMatchObject({
      actor: { type: 'API_KEY' },
      target: { type: 'product', id, name: 'Audited', currency: 'USD' },
      changes: { active: { from: true, to: false } },
    });
  });
  await eventually(async () => {
    const [settings] = (await entries()).filter(({ action }) =>
      action.endsWith('/portal/settings'),
    );
    expect(settings?.changes).toEqual({ quantity: { from: false, to: true } });
  });
});

test('has no entry for a preview, which changes nothing', async () => {
  const there = owner.in(sandbox);
  const { status } = await there.v1('POST', '/email-templates/preview', { kind: 'RECEIPT' });
  expect(status).toBe(200);
  const actions = (await entries()).map(({ action }) => action as string);
  expect(actions.filter((action) => action.includes('preview'))).toEqual([]);
});

test('is exported completely, oldest first, and by owners and admins alone', async () => {
  const lines = (await exported()).trimEnd().split('\n');
  const all = lines.map((line) => JSON.parse(line) as { id: string; at: string });
  const times = all.map(({ at }) => at);
  expect(times).toEqual(times.toSorted());
  const listed = (await entries()) as { id: string }[];
  expect(new Set(all.map(({ id }) => id))).toEqual(new Set(listed.map(({ id }) => id)));
  const viewer = await owner.colleague('VIEWER');
  expect((await viewer.api('GET', '/audit.ndjson')).status).toBe(403);
  expect((await owner.api('GET', '/audit.ndjson?since=yesterday')).status).toBe(400);
});

test('keeps a failed sign-in', async () => {
  const client = new OperatorClient(system.gatewayUrl);
  await client.api('POST', '/session', { email: address, password: 'wrong' });
  expect((await entries())[0]).toMatchObject({
    actor: { type: 'OPERATOR', email: address },
    action: 'POST /dashboard/api/session',
    status: 401,
  });
});
