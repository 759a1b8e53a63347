import type { ApiClient } from '../support/api-client';
import { instant, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;
let customer: any;
let meter: any;
let ids = 0;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
  customer = await api.expect(
    201,
    api.post('/customers', { email: 'a@b.co', externalId: 'user-7' }),
  );
  meter = await api.expect(201, api.post('/meters', { name: 'Calls' }));
});

/** Returns a unique event id. */
function newEventId(): string {
  ids += 1;
  return `event-${String(ids)}`;
}

function anEvent(given: object = {}): Record<string, unknown> {
  return { customerId: customer.id, meterId: meter.id, ...given };
}

async function ingest(...events: object[]): Promise<any> {
  return api.expect(201, api.post('/events/ingest', { events }));
}

const stored = { accepted: 1, duplicates: 0, rejected: [] };
const repeated = { accepted: 0, duplicates: 1, rejected: [] };

function rejected(index: number, eventId: string | null = null) {
  return { index, eventId, error: expect.any(String) };
}

describe('an event', () => {
  test('is shown as it was stored', async () => {
    const eventId = newEventId();
    const timestamp = new Date(Date.now() - 60_000).toISOString();
    const properties = { 'a.b': 'x', count: 1, isTrue: true, none: null };
    const event = anEvent({ quantity: '12.50', eventId, timestamp, properties });
    expect(await ingest(event)).toEqual(stored);
    const { body } = await api.get(`/events?eventId=${eventId}`);
    expect(body).toEqual({
      data: [
        {
          id: expect.stringMatching(uuid),
          eventId,
          customerId: customer.id,
          meterId: meter.id,
          quantity: '12.5',
          timestamp,
          properties,
          receivedAt: expect.stringMatching(instant),
        },
      ],
      total: 1,
      page: 1,
      perPage: 20,
    });
  });

  test('may be in a bare array, name its customer by the external id, and omit all other fields', async () => {
    const body = [{ externalCustomerId: 'user-7', meterId: meter.id }];
    expect(await api.expect(201, api.post('/events/ingest', body))).toEqual(stored);
  });

  test('without an id counts each time it is sent', async () => {
    expect(await ingest(anEvent())).toEqual(stored);
    expect(await ingest(anEvent())).toEqual(stored);
  });

  test('with an id counts once, with or without its time, whichever the order of its properties', async () => {
    const timestamp = new Date(Date.now() - 1_000).toISOString();
    const event = anEvent({ eventId: newEventId(), properties: { a: 1, b: 2 } });
    expect(await ingest({ ...event, timestamp })).toEqual(stored);
    expect(await ingest({ ...event, timestamp })).toEqual(repeated);
    expect(await ingest({ ...event, quantity: '1.0', properties: { b: 2, a: 1 } })).toEqual(
      repeated,
    );
    expect(await ingest(event, event)).toEqual({ accepted: 0, duplicates: 2, rejected: [] });
  });

  test('twice in one batch counts once', async () => {
    const event = anEvent({ eventId: newEventId() });
    expect(await ingest(event, event)).toEqual({ accepted: 1, duplicates: 1, rejected: [] });
  });

  test('is rejected where its id belongs to a different event', async () => {
    const eventId = newEventId();
    await ingest(anEvent({ eventId, quantity: 2 }));
    const answer = await ingest(anEvent({ eventId, quantity: 3 }), anEvent({ eventId: null }));
    expect(answer).toEqual({ accepted: 1, duplicates: 0, rejected: [rejected(0, eventId)] });
  });

  test('is rejected alone for an unknown reference, its time, or a negative quantity', async () => {
    const counted = await api.expect(
      201,
      api.post('/meters', { name: 'Count', aggregation: 'COUNT' }),
    );
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const day = 86_400_000;
    const answer = await ingest(
      anEvent({ customerId: unknownId, eventId: 'lost' }),
      anEvent({ customerId: 'nonsense' }),
      anEvent({ customerId: null, externalCustomerId: 'unknown' }),
      anEvent({ meterId: unknownId }),
      anEvent({ meterId: 'nonsense' }),
      anEvent({ timestamp: at(6 * 60_000) }),
      anEvent({ timestamp: at(-36 * day) }),
      anEvent({ meterId: counted.id, quantity: -1 }),
      anEvent({ quantity: -1 }),
      anEvent({ timestamp: at(4 * 60_000) }),
      anEvent({ timestamp: at(-34 * day) }),
    );
    expect(answer).toEqual({
      accepted: 3,
      duplicates: 0,
      rejected: [0, 1, 2, 3, 4, 5, 6, 7].map((index) =>
        rejected(index, index === 0 ? 'lost' : null),
      ),
    });
  });

  test('of a deleted or inactive meter is rejected, but a duplicate of an old one is recognized', async () => {
    const own = await api.expect(201, api.post('/meters', { name: 'Own' }));
    const event = anEvent({ meterId: own.id, eventId: newEventId() });
    await ingest(event);
    await api.request('PATCH', `/meters/${String(own.id)}`, { body: { active: false } });
    const fresh = anEvent({ meterId: own.id });
    expect(await ingest(event, fresh)).toMatchObject({ duplicates: 1, rejected: [rejected(1)] });
    await api.delete(`/meters/${String(own.id)}`);
    expect(await ingest(event, fresh)).toMatchObject({ duplicates: 1, rejected: [rejected(1)] });
  });

  test('of a new customer is accepted immediately', async () => {
    const externalId = 'comes-later';
    const event = anEvent({ customerId: null, externalCustomerId: externalId });
    expect(await ingest(event)).toEqual({ accepted: 0, duplicates: 0, rejected: [rejected(0)] });
    await api.expect(201, api.post('/customers', { email: 'a@b.co', externalId }));
    expect(await ingest(event)).toEqual(stored);
  });
});

describe('a batch', () => {
  test.each<[string, object, string]>([
    ['a time that is none', { timestamp: 'yesterday' }, 'timestamp: Invalid datetime'],
    ['a time without zone', { timestamp: '2026-01-01T00:00:00' }, 'timestamp: Invalid datetime'],
    ['a day that is none', { timestamp: '2026-02-30T00:00:00Z' }, 'timestamp: Invalid datetime'],
    ['a number for a time', { timestamp: 1 }, 'timestamp: Invalid datetime'],
    ['no meter', { meterId: null }, 'meterId: Required'],
    ['no customer', { customerId: null }, 'customerId: Required'],
    ['a text that is no number', { quantity: 'many' }, 'quantity: Invalid decimal'],
    ['13 decimals', { quantity: '0.0000000000001' }, 'quantity: Invalid decimal'],
    ['an empty id', { eventId: '' }, 'eventId: Must be at least 1 character'],
    [
      'an id that is too long',
      { eventId: 'x'.repeat(256) },
      'eventId: Must be at most 255 characters',
    ],
    ['a list of properties', { properties: [] }, 'properties: Must be an object'],
  ])('with %s is refused completely', async (_what, wrong, message) => {
    const eventId = newEventId();
    const events = [anEvent({ eventId }), anEvent(), anEvent(), anEvent(wrong)];
    const answer = await api.post('/events/ingest', { events });
    expect([answer.status, answer.body]).toEqual([400, { error: { events: [`3.${message}`] } }]);
    expect(answer.headers.get('error-code')).toBe('invalid_request');
    expect((await api.get(`/events?eventId=${eventId}`)).body.total).toBe(0);
  });

  test.each<[string, unknown]>([
    ['nothing', {}],
    ['no events', { events: [] }],
    ['no list', { events: {} }],
    ['1001 events', Array.from({ length: 1001 }, () => ({}))],
    [
      '21 properties',
      [{ properties: Object.fromEntries([...Array(21).keys()].map((n) => [`p${String(n)}`, n])) }],
    ],
    ['a nested property', [{ properties: { a: { b: 1 } } }]],
    ['too large a number', [{ quantity: 2 ** 53 }]],
    ['too large a quantity', [{ quantity: '1000000000000001' }]],
  ])('of %s is refused', async (_what, body) => {
    expect(await api.refusedFields('/events/ingest', body)).toEqual(['events']);
  });

  test('that is no JSON, no text or too large gets the specific error', async () => {
    const answers = await Promise.all([
      api.request('POST', '/events/ingest', { body: '{"events":[' }),
      api.request('POST', '/events/ingest', {
        body: '[]',
        headers: { 'Content-Type': 'text/csv' },
      }),
      api.request('POST', '/events/ingest', { body: `["${'x'.repeat(1024 * 1024)}"]` }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [400, 'Malformed JSON'],
      [415, 'Content-Type must be application/json'],
      [413, 'Request body too large'],
    ]);
  });

  test('of a thousand events beyond the size limit of other bodies is accepted', async () => {
    const events = Array.from({ length: 1000 }, (_one, index) =>
      anEvent({ eventId: `many-${String(index)}`, properties: { text: 'x'.repeat(600) } }),
    );
    expect(await ingest(...events)).toEqual({ accepted: 1000, duplicates: 0, rejected: [] });
    expect(await ingest(...events)).toEqual({ accepted: 0, duplicates: 1000, rejected: [] });
  });

  test('names the unknown fields', async () => {
    const { headers } = await api.post('/events/ingest', {
      events: [anEvent({ colour: 1 })],
      x: 1,
    });
    expect(headers.get('ignored-fields')).toBe('x, events.0.colour');
  });

  test('names the unknown fields of a refused batch, too', async () => {
    const refused = await api.post('/events/ingest', [anEvent({ colour: 1, quantity: 'x' })]);
    expect([refused.status, refused.headers.get('ignored-fields')]).toEqual([400, '0.colour']);
  });

  test('with an idempotency key is stored once, also without event ids', async () => {
    const headers = { 'Idempotency-Key': newEventId() };
    const send = (quantity: number) =>
      api.post('/events/ingest', { events: [anEvent({ quantity })] }, headers);
    expect((await send(1)).body).toEqual(stored);
    const replayed = await send(1);
    expect([replayed.body, replayed.headers.get('idempotent-replayed')]).toEqual([stored, 'true']);
    expect((await send(2)).status).toBe(422);
  });
});

test('the list is filtered, and newest first by event time', async () => {
  const client = await system.live.manualSandbox('2026-02-01T00:00:00Z');
  const own = await client.expect(201, client.post('/customers', { email: 'a@b.co' }));
  const [one, two] = await Promise.all(
    ['One', 'Two'].map((name) => client.expect(201, client.post('/meters', { name }))),
  );
  const event = (day: number, meterId: string) => ({
    customerId: own.id,
    meterId,
    eventId: `day-${String(day)}`,
    timestamp: `2026-01-${String(day)}T00:00:00Z`,
  });
  const events = [event(11, one.id), event(13, one.id), event(12, two.id)];
  await client.expect(201, client.post('/events/ingest', { events }));
  const found = async (query: string) =>
    (await client.expect(200, client.get(`/events?${query}`))).data.map(
      ({ eventId }: any) => eventId as string,
    );
  expect(await found('')).toEqual(['day-13', 'day-12', 'day-11']);
  expect(await found(`customerId=${String(own.id)}`)).toEqual(['day-13', 'day-12', 'day-11']);
  expect(await found(`meterId=${String(one.id)}`)).toEqual(['day-13', 'day-11']);
  expect(await found('from=2026-01-12T00:00:00Z&to=2026-01-13T00:00:00Z')).toEqual(['day-12']);
  expect(await found('perPage=1&page=2')).toEqual(['day-12']);
  expect(await found('customerId=nonsense')).toEqual([]);
  expect((await client.get('/events?from=yesterday')).status).toBe(400);
});
