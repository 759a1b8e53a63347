import { Decimal } from '@billing/kernel/decimal';
import { DomainError } from '@billing/kernel/domain-error';
import fc from 'fast-check';
import { readIngestInput } from './input';

const minimal = { customerId: 'ada', meterId: 'calls' };

function refusal(body: unknown): readonly string[] {
  try {
    readIngestInput(body);
  } catch (error) {
    if (error instanceof DomainError) return error.fields?.events ?? [];
    throw error;
  }
  return [];
}

function read(fields: object) {
  const [event] = readIngestInput([{ ...minimal, ...fields }]).events;
  if (event === undefined) throw new Error('The event is gone');
  return event;
}

describe('a batch', () => {
  test('is a list of events, bare or under `events`', () => {
    const { events } = readIngestInput({ events: [minimal] });
    expect(readIngestInput([minimal]).events).toEqual(events);
    expect(events).toEqual([
      {
        ...minimal,
        externalCustomerId: undefined,
        quantity: '1',
        isNegative: false,
        timestamp: undefined,
        eventId: undefined,
        properties: undefined,
      },
    ]);
  });

  test.each<[string, unknown, string]>([
    ['an object without `events`', {}, 'Required'],
    ['an object with null as `events`', { events: null }, 'Required'],
    ['an object with an object as `events`', { events: {} }, 'Must be an array'],
    ['a list without events', [], 'Must have at least 1 element'],
    [
      'a list of too many events',
      Array.from({ length: 1001 }, () => minimal),
      'Must have at most 1000 elements',
    ],
  ])('that is %s is refused', (_what, body, problem) => {
    expect(refusal(body)).toEqual([problem]);
  });

  test.each([undefined, null, 5, 'events'])('that is %j is no object', (body) => {
    const message = 'Body must be a JSON object';
    expect(() => readIngestInput(body)).toThrow(expect.objectContaining({ message }));
  });

  test('of a thousand events is accepted', () => {
    expect(readIngestInput(Array.from({ length: 1000 }, () => minimal)).events).toHaveLength(1000);
  });

  test('reports the paths of the first twenty unknown fields', () => {
    const typo = { ...minimal, colour: 1 };
    expect(readIngestInput({ x: 1, events: [minimal, typo] }).ignoredFields).toEqual([
      'x',
      'events.1.colour',
    ]);
    expect(readIngestInput([typo]).ignoredFields).toEqual(['0.colour']);
    const many = Array.from({ length: 50 }, () => typo);
    expect(readIngestInput(many).ignoredFields).toHaveLength(20);
  });

  test('reports the first twenty problems', () => {
    expect(refusal(Array.from({ length: 50 }, () => 1))).toHaveLength(20);
  });
});

const long = 'x'.repeat(256);
const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${String(index)}`, 1]));

describe('an event', () => {
  test.each<[string, unknown, string]>([
    ['that is a number', 1, '0: Must be an object'],
    ['that is a list', [], '0: Must be an object'],
    ['without a customer', { meterId: 'm' }, '0.customerId: Required'],
    ['with null as customer', { ...minimal, customerId: null }, '0.customerId: Required'],
    ['with a number as customer', { ...minimal, customerId: 1 }, '0.customerId: Must be a string'],
    ['without a meter', { customerId: 'c' }, '0.meterId: Required'],
    ['with an empty id', { ...minimal, eventId: '' }, '0.eventId: Must be at least 1 character'],
    ['with a long id', { ...minimal, eventId: long }, '0.eventId: Must be at most 255 characters'],
    [
      'with control characters in its id',
      { ...minimal, eventId: 'a\nb' },
      '0.eventId: Must not contain control characters',
    ],
    [
      'with a lone surrogate in its id',
      { ...minimal, eventId: '\ud800' },
      '0.eventId: Must be Unicode text',
    ],
    [
      'with a date as timestamp',
      { ...minimal, timestamp: '2026-03-10' },
      '0.timestamp: Invalid datetime',
    ],
    ['with a number as timestamp', { ...minimal, timestamp: 1 }, '0.timestamp: Invalid datetime'],
    [
      'with a list of properties',
      { ...minimal, properties: [] },
      '0.properties: Must be an object',
    ],
    [
      'with many properties',
      { ...minimal, properties: many },
      '0.properties: Must have at most 20 keys',
    ],
    [
      'with a property in a property',
      { ...minimal, properties: { a: {} } },
      '0.properties.a: Must be a string, number, boolean or null',
    ],
    [
      'with a property that would be lost',
      { ...minimal, properties: JSON.parse('{"__proto__": 1}') as unknown },
      '0.properties.__proto__: Key is reserved',
    ],
    [
      'with a property beyond whole numbers',
      { ...minimal, properties: { a: 2 ** 53 } },
      '0.properties.a: Number out of range',
    ],
  ])('%s is refused', (_what, event, problem) => {
    expect(refusal([event])).toEqual([problem]);
  });

  test('is read with all its fields', () => {
    const properties = { a: 'x', b: 1, c: true, d: null };
    const eventId = 'é'.repeat(255);
    expect(read({ eventId, properties })).toMatchObject({ eventId, properties });
  });
});

describe('a quantity', () => {
  test.each<[unknown, string]>([
    [undefined, '1'],
    [null, '1'],
    [0, '0'],
    ['0', '0'],
    ['0.5', '0.5'],
    ['1.50', '1.5'],
    ['-0', '0'],
    ['-2.50', '-2.5'],
    [1e-7, '0.0000001'],
    [1e15, '1000000000000000'],
    ['1000000000000000.000000000000', '1000000000000000'],
    ['-1000000000000000', '-1000000000000000'],
    ['999999999999999.999999999999', '999999999999999.999999999999'],
  ])('sent as %j is %s', (quantity, canonical) => {
    expect(read({ quantity }).quantity).toBe(canonical);
    expect(read({ quantity }).isNegative).toBe(canonical.startsWith('-'));
  });

  test.each<[unknown, string]>([
    [true, 'Must be a number or a decimal string'],
    ['', 'Invalid decimal'],
    ['01', 'Invalid decimal'],
    ['1.', 'Invalid decimal'],
    ['+1', 'Invalid decimal'],
    ['1e3', 'Invalid decimal'],
    [0.1 + 0.2, 'Invalid decimal'],
    ['0.0000000000001', 'Invalid decimal'],
    ['1000000000000000.1', 'Must be at most 1000000000000000'],
    ['-1000000000000001', 'Must be at most 1000000000000000'],
    [2 ** 53, 'Must be at most 9007199254740991'],
  ])('sent as %j is refused', (quantity, problem) => {
    expect(refusal([{ ...minimal, quantity }])).toEqual([`0.quantity: ${problem}`]);
  });

  test('is stored in canonical form for every form that was sent', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
        fc.stringMatching(/^\d{0,12}$/),
        (whole, decimals) => {
          const sent = decimals === '' ? String(whole) : `${String(whole)}.${decimals}`;
          const isTooMuch =
            (whole === 10n ** 15n || whole === -(10n ** 15n)) && /[1-9]/.test(decimals);
          if (isTooMuch) expect(refusal([{ ...minimal, quantity: sent }])).toHaveLength(1);
          else expect(read({ quantity: sent }).quantity).toBe(Decimal.parse(sent).toString());
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('a timestamp', () => {
  test.each([
    '2026-03-10T12:00:00.123Z',
    '2026-03-10T12:00Z',
    '2026-03-10T12:00:00+05:30',
    '2024-02-29T23:59:59.999999Z',
    '2026-01-31T00:00:00Z',
    '0001-01-01T00:00:00Z',
  ])('%s is accepted', (timestamp) => {
    expect(read({ timestamp }).timestamp).toEqual(new Date(timestamp));
  });

  test.each([
    '2026-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-10T24:00:00Z',
    '2026-03-10T12:60:00Z',
    '2026-03-10T12:00:00',
    '2026-03-10T12:00:00+24:00',
    '2026-3-10T12:00:00Z',
    ' 2026-03-10T12:00:00Z',
  ])('%s is refused', (timestamp) => {
    expect(refusal([{ ...minimal, timestamp }])).toEqual(['0.timestamp: Invalid datetime']);
  });

  test('is accepted in any notation of any valid instant', () => {
    const bounds = { min: new Date('0001-01-01'), max: new Date('9999-12-31') };
    fc.assert(
      fc.property(fc.date({ ...bounds, noInvalidDate: true }), (at) => {
        expect(read({ timestamp: at.toISOString() }).timestamp).toEqual(at);
      }),
      { numRuns: 1000 },
    );
  });
});
