import fc from 'fast-check';
import { Decimal } from '@billing/kernel/decimal';
import { DomainError } from '@billing/kernel/domain-error';
import { plainDecimal } from '@billing/kernel/plain-decimal';
import { readIngestBody } from './body';
import { readIngestInput } from './input';

/** The stored quantity of an event, or the validation error. */
function quantityOf(literal: string, rest = ''): string | undefined {
  const text = `[{"customerId": "ada", "meterId": "calls", "quantity": ${literal}${rest}}]`;
  const { json, exactQuantities } = readIngestBody(Buffer.from(text));
  try {
    return readIngestInput(json, exactQuantities).events[0]?.quantity;
  } catch (error) {
    if (error instanceof DomainError) return error.fields?.events?.[0];
    throw error;
  }
}

describe('a quantity sent as a JSON number', () => {
  test.each([
    ['999999999999999.99', '999999999999999.99'],
    ['-999999999999999.99', '-999999999999999.99'],
    ['1234567890123.456789', '1234567890123.456789'],
    ['0.100000000001', '0.100000000001'],
    ['12345678901234567e-10', '1234567.8901234567'],
    ['1000000000000000', '1000000000000000'],
    ['1.0000000000000000', '1'],
    ['0.00000000000000000', '0'],
    ['0.30000000000000004', '0.quantity: Invalid decimal'],
    ['1.0000000000000001', '0.quantity: Invalid decimal'],
    ['1.00000000000000000000001', '0.quantity: Invalid decimal'],
    [`1.${'0'.repeat(100_000)}1`, '0.quantity: Invalid decimal'],
    ['1000000000000000.01', '0.quantity: Must be at most 1000000000000000'],
    ['9007199254740993', '0.quantity: Must be at most 1000000000000000'],
  ])('%.40s is read as %s', (literal, quantity) => {
    expect(quantityOf(literal)).toBe(quantity);
  });

  test('keeps every digit that was sent', () => {
    const digits = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 14 });
    const decimals = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), digits, decimals, (first, whole, fraction) => {
        const literal = `${String(first)}${whole.join('')}.${fraction.join('')}`;
        expect(quantityOf(literal)).toBe(Decimal.parse(literal).toString());
      }),
    );
  });

  test('leaves other fields of the same name and numbers of the same length unchanged', () => {
    const rest = ', "properties": { "quantity": 1.0000000000000001, "at": "1.0000000000000001" }';
    const text = `[{"customerId": "ada", "meterId": "calls"${rest}}]`;
    const { json, exactQuantities } = readIngestBody(Buffer.from(text));
    expect(readIngestInput(json, exactQuantities).events[0]).toMatchObject({
      quantity: '1',
      properties: { quantity: 1, at: '1.0000000000000001' },
    });
    expect(quantityOf('7.00000000000000000', rest)).toBe('7');
  });
});

test.each([
  ['truncated', '{"events": ['],
  ['not UTF-8', '\xff'],
  ['truncated after a long number', '[1.0000000000000001'],
])('a body that is %s is malformed', (_what, text) => {
  const read = () => readIngestBody(Buffer.from(text, 'latin1'));
  expect(read).toThrow(expect.objectContaining({ reason: 'MALFORMED_JSON' }));
});

const quantityNames = ['quantity', 'quantit\\u0079', '\\u0071uantity', 'Quantity', 'x\\"quantity'];
const numberText = fc.oneof(
  fc.constantFrom('1', '-0', '1.50', '1e400', '12345678901234567e-10', '1.0000000000000001'),
  fc.bigInt({ min: 10n ** 15n, max: 10n ** 20n }).map(String),
);
const fieldText = fc.tuple(
  fc.constantFrom(...quantityNames, 'properties'),
  fc.constantFrom(':', ' : ', ':\n'),
  fc.oneof(numberText, fc.constantFrom('null', '"7"', '{"quantity": 1234567890123456.5}')),
);
const eventText = fc
  .array(fieldText, { maxLength: 4 })
  .map((fields) => fields.map(([name, colon, value]) => `"${name}"${colon}${value}`).join());

test('quantities of events are read as a parser that shows the text of each number reads them', () => {
  fc.assert(
    fc.property(fc.array(eventText, { maxLength: 4 }), fc.boolean(), (events, isBare) => {
      const elements = [...events.map((event) => `{${event}}`), '1.0000000000000000'];
      const list = `[${elements.join()}]`;
      const text = isBare ? list : `{"events": ${list}}`;
      const { json, exactQuantities } = readIngestBody(Buffer.from(text));
      expect(json).toEqual(JSON.parse(text));
      const read = elementsOf(json).map((event) => exactQuantities?.get(event));
      expect(read).toEqual(shownQuantities(text));
    }),
    { numRuns: 1000 },
  );
});

test('no parser visits the values of a body one by one', () => {
  const parse = jest.spyOn(JSON, 'parse');
  const text = `[{"quantity": 1.0000000000000001}, ${Array(2000).fill(0).join()}]`;
  expect(() => readIngestInput(readIngestBody(Buffer.from(text)).json)).toThrow(
    expect.objectContaining({ fields: { events: ['Must have at most 1000 elements'] } }),
  );
  expect(parse.mock.calls.filter(([, reviver]) => reviver !== undefined)).toEqual([]);
  parse.mockRestore();
});

function elementsOf(json: unknown): object[] {
  return (Array.isArray(json) ? json : (json as { events: object[] }).events) as object[];
}

/** Texts of the quantities that are unlike their numbers. */
function shownQuantities(text: string): (string | undefined)[] {
  const shown = new Map<object, string>();
  const json: unknown = JSON.parse(
    text,
    function keep(this: object, name: string, value: unknown, context?: { source?: string }) {
      if (name !== 'quantity' || typeof value !== 'number') return value;
      const source = context?.source ?? '';
      const exact = plainDecimal(/e/i.test(source) ? source : `${source}e0`);
      if (exact === plainDecimal(String(value))) shown.delete(this);
      else shown.set(this, exact);
      return value;
    },
  );
  return elementsOf(json).map((event) => shown.get(event));
}
