import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { entryBytes, hashedValue, valueBytes } from '../distinct/packed-values';
import { type EventDocument, toEventDocument } from '../usage/event-store';
import { partsOf } from './part';

const at = new Date('2026-03-01T00:00:00Z');
const flush = { epoch: 5, flush: 'f' };

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  // Also lone surrogates.
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.string({ maxLength: 40 }).map((text) => `\u0000erased:${text}`),
  fc.stringMatching(/^[0-9a-f]{32}$/).map((hash) => `\u0000erased:${hash}`),
  fc.constantFrom('', '\u0000', '\u0000erased:', '__proto__'),
);
const anyName = fc.oneof(anyText, fc.constantFrom('user', '__proto__', 'toString'));
const anyValue = fc.oneof(anyText, fc.double(), fc.boolean(), fc.constant(null));
/** As parsed from JSON: `__proto__` is a property like others. */
const anyProperties = fc
  .array(fc.tuple(anyName, anyValue), { maxLength: 4 })
  .map((entries) => JSON.parse(objectText(entries)) as Record<string, unknown>);

function objectText(entries: readonly (readonly [string, unknown])[]): string {
  const fields = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${fields.join(',')}}`;
}

function documentOf(properties: Record<string, unknown>, index: number): EventDocument {
  return toEventDocument(
    { environmentId: 'e' },
    {
      eventId: `e${String(index)}`,
      customerId: 'c',
      meterId: 'm',
      quantity: '1',
      timestamp: at,
      properties,
      receivedAt: at,
      arrival: index,
    },
  );
}

function storedHashes(documents: readonly EventDocument[], uniqueProperty: string): string[] {
  const meter = { aggregation: 'UNIQUE_COUNT', uniqueProperty } as const;
  const parts = partsOf(
    flush,
    documents.map((document) => ({ document, meter })),
  );
  const packed = Buffer.concat(parts.flatMap(({ values = [] }) => values.map(([, some]) => some)));
  return Array.from({ length: packed.length / entryBytes }, (_, index) =>
    packed.subarray(index * entryBytes, index * entryBytes + valueBytes).toString('hex'),
  );
}

function hashOf(text: string): string {
  return createHash('sha256').update(`m:${text}`).digest('hex').slice(0, 32);
}

test('every property value of a caller is counted by the hash of its text', () => {
  fc.assert(
    fc.property(fc.array(anyProperties, { maxLength: 5 }), anyName, (all, property) => {
      const texts = all
        .filter((properties) => Object.hasOwn(properties, property))
        .map((properties) => properties[property])
        .filter((value) => value !== null)
        .map(String);
      const expected = [...new Set(texts.map(hashOf))].toSorted();
      expect(storedHashes(all.map(documentOf), property)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test('a value that looks like an erased one is a value like others', () => {
  const hash = hashOf('a');
  const texts = ['\u0000erased:ab', '\u0000erased:', `\u0000erased:${hash}`, 'a'];
  for (const one of texts) {
    // Twice, so that the values are compared.
    const documents = [one, one].map((user, index) => documentOf({ user }, index));
    expect(storedHashes(documents, 'user')).toEqual([hashOf(one)]);
  }
});

test('an erased value counts as before, together with events that still have it', () => {
  const { properties: _erased, ...erased } = documentOf({ user: 'a' }, 0);
  const value = hashedValue('m', 'a').toString('hex');
  const documents = [{ ...erased, value }, documentOf({ user: 'a' }, 1)];
  expect(storedHashes(documents, 'user')).toEqual([hashOf('a')]);
});

test('no stored hash of an erased value makes counting fail', () => {
  const { properties: _erased, ...erased } = documentOf({ user: 'a' }, 0);
  fc.assert(
    fc.property(anyText, (value) => {
      expect(
        storedHashes(
          [
            { ...erased, value },
            { ...erased, value },
          ],
          'user',
        ),
      ).toHaveLength(1);
    }),
  );
});
