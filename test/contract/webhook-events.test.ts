import type { ApiClient } from '../support/api-client';
import { instant, product, unknownId, uuid } from '../support/patterns';
import { PersistentClient } from '../support/persistent-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const start = '2026-01-31T00:00:00.000Z';
const afterwards = '2026-03-01T00:00:00.000Z';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
});

beforeEach(async () => {
  api = await system.live.manualSandbox(start);
});

async function subscribe(): Promise<string> {
  const client = new PersistentClient(api);
  const create = (path: string, body: object) => client.post(201, path, body);
  const customer = await create('/customers', { email: 'a@b.co', currency: 'EUR' });
  const sold = await create('/products', product);
  const authorizedTransactionId = 'txn_feed';
  const input = { customerId: customer.id, productId: sold.id, authorizedTransactionId };
  return (await create('/subscriptions', input)).id;
}

const read = (query = ''): Promise<any> =>
  api.expect(200, api.get(`/webhook-events${query === '' ? '' : `?${query}`}`));

describe('the feed of webhook events', () => {
  test('of a new environment is empty', async () => {
    const empty = { data: [], nextAfter: '0', oldest: null, newest: '0' };
    expect(await read()).toEqual(empty);
    expect(await read('after=0')).toEqual(empty);
  });

  test('has everything that an answered clock advance caused, in one order without gaps', async () => {
    const subscriptionId = await subscribe();
    await api.advanceTo(afterwards);
    const { data, nextAfter, oldest, newest } = await read();
    expect(data.map(({ position }: any) => position)).toEqual(
      data.map((_entry: any, index: number) => index + 1),
    );
    const last = String(data.length);
    expect({ nextAfter, oldest, newest }).toEqual({ nextAfter: last, oldest: '1', newest: last });
    const types = data
      .filter(({ subject }: any) => subject.id === subscriptionId)
      .map(({ event }: any) => [event.sequence, event.type]);
    expect(types.map(([sequence]: any) => sequence)).toEqual(
      types.map((_type: any, index: number) => index + 1),
    );
    expect(types.filter(([, type]: any) => type === 'subscription.renewed')).toHaveLength(1);
    const [first] = data;
    expect(first).toEqual({
      position: 1,
      subject: { type: expect.any(String), id: expect.stringMatching(uuid) },
      acceptedAt: expect.stringMatching(instant),
      event: expect.objectContaining({ id: expect.stringMatching(uuid), sequence: 1 }),
    });
    const { id } = first.event;
    expect(await api.expect(200, api.get(`/webhook-events/${id as string}`))).toEqual(first);
    expect(await read(`after=${last}`)).toMatchObject({ data: [], nextAfter: last });
    const ofType = await read('types=subscription.renewed,checkout.*');
    expect(ofType).toMatchObject({ nextAfter: last });
    expect(ofType.data).toHaveLength(1);
    const paged = await read('limit=1');
    expect(paged).toMatchObject({ data: [first], nextAfter: '1', newest: last });
  });

  test('lets a reader wait for the next event', async () => {
    const { newest } = await read();
    // Reads on where a busy machine had nothing in time, or answers that it took too long.
    const next = async (after: string): Promise<any[]> => {
      const path = `/webhook-events?after=${after}&wait=20&types=subscription.created`;
      const { status, body } = await api.get(path);
      if (status === 504) return next(after);
      expect(status).toBe(200);
      return body.data.length > 0 ? body.data : next(body.nextAfter);
    };
    const waiting = next(newest);
    const subscriptionId = await subscribe();
    const data = await waiting;
    expect(data).toHaveLength(1);
    expect(data[0].subject).toEqual({ type: 'subscription', id: subscriptionId });
  });

  test('lets twenty readers of a key wait and refuses the next one', async () => {
    const waits = Array.from({ length: 21 }, () => api.get('/webhook-events?wait=20'));
    // The gateway admits requests in the order of their arrival, on several connections.
    const refused = await Promise.race(waits);
    expect([refused.status, refused.body]).toEqual([429, { error: 'Too many requests' }]);
    await api.expect(201, api.post('/customers', { email: 'a@b.co' }));
    const all = await Promise.all(waits);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(1);
    // A busy machine may answer that it took too long.
    for (const { status } of all) expect([200, 429, 504]).toContain(status);
    expect((await api.get('/webhook-events')).status).toBe(200);
  });

  test('answers two hundred waiting readers of ten keys with the next event', async () => {
    const keys = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { key } = await api.expect(201, api.post('/api-keys', { name: 'reader' }));
        return system.client(key as string);
      }),
    );
    const wait = '/webhook-events?after=0&wait=20&types=subscription.created';
    let isOver = false;
    // A busy machine may answer that it took too long: a reader asks again.
    const next = async (reader: ApiClient): Promise<any[]> => {
      const { status, body } = await reader.get(wait);
      expect([200, 503, 504]).toContain(status);
      return isOver || (status === 200 && body.data.length > 0) ? body.data : next(reader);
    };
    const waits = keys.flatMap((reader) => Array.from({ length: 20 }, () => next(reader)));
    try {
      const subscriptionId = await subscribe();
      for (const [first, ...others] of await Promise.all(waits)) {
        expect([first.subject.id, others]).toEqual([subscriptionId, []]);
      }
    } finally {
      // Readers that never end would slow down the tests that follow.
      isOver = true;
      await Promise.allSettled(waits);
    }
  });

  test.each([
    ['after=x', { after: ['Must be a cursor'] }],
    ['after=-1', { after: ['Must be a cursor'] }],
    ['after=7', { after: ['Beyond the newest event'] }],
    ['types=invoice.nothing', { types: ['Unknown event: invoice.nothing'] }],
    ['types=*', { types: ['Unknown event: *'] }],
  ])('refuses %s', async (query, error) => {
    const { status, body } = await api.get(`/webhook-events?${query}`);
    expect({ status, body }).toEqual({ status: 400, body: { error } });
  });

  test.each(['limit=0', 'limit=1001', 'wait=21', 'wait=-1'])('refuses %s', async (query) => {
    const { status, body } = await api.get(`/webhook-events?${query}`);
    expect({ status, fields: Object.keys(body.error) }).toEqual({
      status: 400,
      fields: [query.slice(0, query.indexOf('='))],
    });
  });

  test('answers 410 for a cursor of another restore', async () => {
    const { status, headers, body } = await api.get('/webhook-events?after=WH5C2.3');
    expect({ status, code: headers.get('error-code'), body }).toEqual({
      status: 410,
      code: 'cursor_expired',
      body: { error: 'Events after this cursor are no longer kept' },
    });
  });

  test('answers 404 for an unknown event', async () => {
    const { status, headers, body } = await api.get(`/webhook-events/${unknownId}`);
    expect({ status, code: headers.get('error-code'), body }).toEqual({
      status: 404,
      code: 'webhook_event_not_found',
      body: { error: 'Webhook event not found' },
    });
  });
});
