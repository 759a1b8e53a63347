import { eventually } from '@billing/chassis/testing';
import { ApiClient } from '../support/api-client';
import { newAddress, OperatorClient } from '../support/operator-client';
import { unknownId } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

// Events with their deliveries, as the dashboard lists them.

let system: TestSystem;
let receiver: WebhookReceiver;
let api: ApiClient;
let operator: OperatorClient;
let endpointId: string;
/** In the order of their creation. */
let customerIds: readonly string[];

const post = (path: string, body: object) => api.expect(201, api.post(path, body));

beforeAll(async () => {
  system = await joinTestSystem();
  receiver = await startWebhookReceiver();
  const sandbox = await system.live.expect(201, system.live.post('/sandboxes', { name: 'events' }));
  api = new ApiClient(system.gatewayUrl, sandbox.key as string);
  operator = (await OperatorClient.owner(system, newAddress())).in(sandbox.id as string);
  const events = ['customer.created'];
  ({ id: endpointId } = await post('/webhook-endpoints', { url: receiver.url, events }));
  const created: string[] = [];
  for (let index = 1; index <= 23; index += 1) {
    const { id } = await post('/customers', { email: `${String(index)}@example.com` });
    created.push(id as string);
  }
  const tenth = `/customers/${String(created[9])}`;
  await api.expect(200, api.request('PATCH', tenth, { body: { name: 'Ada Lovelace' } }));
  customerIds = created;
});

afterAll(async () => {
  await receiver.close();
});

async function list(query = ''): Promise<any> {
  const { status, body } = await operator.api('GET', `/events${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body;
}

const subjectsOf = ({ data }: any): string[] => data.map(({ subject }: any) => subject.id);

test('events are listed newest first, in parts, each once', async () => {
  const all = customerIds.toReversed();
  await eventually(async () => {
    const first = await list('?type=customer.created');
    expect(subjectsOf(first)).toEqual(all.slice(0, 20));
    const rest = await list(`?type=customer.created&before=${String(first.nextBefore)}`);
    expect(subjectsOf(rest)).toEqual(all.slice(20));
    expect(rest.nextBefore).toBeNull();
  });
});

test('an event carries its subject, and the state of each delivery', async () => {
  const objectId = customerIds.at(-1)!;
  await eventually(async () => {
    const { data } = await list(`?objectId=${objectId}`);
    expect(data).toEqual([
      {
        position: expect.any(Number),
        id: expect.any(String),
        type: 'customer.created',
        timestamp: expect.any(String),
        sequence: 1,
        acceptedAt: expect.any(String),
        subject: { type: 'customer', id: objectId, name: '23@example.com' },
        deliveries: [{ endpointId, status: 'DELIVERED' }],
      },
    ]);
  });
});

test('all events of an object are found, also those that no endpoint wants', async () => {
  await eventually(async () => {
    const { data } = await list(`?objectId=${customerIds[9]!}`);
    expect(data.map(({ type, deliveries }: any) => [type, deliveries.length])).toEqual([
      ['customer.updated', 0],
      ['customer.created', 1],
    ]);
  });
});

test.each(['?type=invoice.paid', `?objectId=${unknownId}`, '?before=1'])(
  'nothing matches %s',
  async (query) => {
    expect(await list(query)).toEqual({ data: [], nextBefore: null });
  },
);

test.each([
  ['?before=0', 'before'],
  ['?before=1.5', 'before'],
  ['?before=x', 'before'],
  ['?type=a&type=b', 'type'],
])('%s is refused', async (query, field) => {
  const { status, body } = await operator.api('GET', `/events${query}`);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(field)]);
});

test('another environment and a caller without a session see nothing', async () => {
  const { id } = await system.live.expect(201, system.live.post('/sandboxes', { name: 'other' }));
  const { body } = await operator.in(id as string).api('GET', '/events');
  expect(body).toEqual({ data: [], nextBefore: null });
  const anonymous = new OperatorClient(system.gatewayUrl);
  expect((await anonymous.api('GET', '/events')).status).toBe(401);
});
