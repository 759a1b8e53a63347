import { z } from 'zod';
import {
  ignoredFields,
  ignoredFieldsHeader,
  ignoredFieldsOf,
  ignoredFieldsOfBytes,
} from './ignored-fields';
import { irreversibleAction, metadata, optional } from './input';
import { changeable } from './patch';

const Body = z.object({
  email: z.string(),
  address: optional(z.object({ line1: optional(z.string()) })),
  tiers: changeable(z.array(z.object({ unitAmount: z.string() }))),
  metadata: optional(metadata),
});

describe('the ignored fields', () => {
  test.each([
    [{ email: 'a', emial: 'b' }, ['emial']],
    [{ address: { line1: 'x', zip: '1' } }, ['address.zip']],
    [
      { tiers: [{ unitAmount: '1' }, { unitAmount: '1', flatamount: '2' }] },
      ['tiers.1.flatamount'],
    ],
    [{ metadata: { anything: 1 } }, []],
    [{ address: null, tiers: 'x', email: { a: 1 } }, []],
    [{ toString: 1, constructor: 2 }, ['toString', 'constructor']],
    [[], []],
  ])('of %j are %j', (body, fields) => {
    expect(ignoredFields(Body, body)).toEqual(fields);
  });

  test.each([
    [{ events: [{ name: 'a', nmae: 'b' }], x: 1 }, ['events.0.nmae', 'x']],
    [[{ name: 'a', nmae: 'b' }], ['0.nmae']],
  ])('of %j, which may be a list or hold one, are %j', (body, fields) => {
    const list = z.array(z.object({ name: z.string() }));
    const schema = z.union([z.object({ events: list }), list]);
    expect(ignoredFields(schema, body)).toEqual(fields);
    expect(ignoredFieldsOfBytes(schema, Buffer.from(JSON.stringify(body)))).toEqual(fields);
    expect(ignoredFieldsOfBytes(schema, Buffer.from('{'))).toEqual([]);
  });

  test('the ignored fields include those of the body and of the query', () => {
    const operation = { body: Body, query: z.object({ page: z.string() }) };
    const request = { body: { emial: 'b' }, query: { page: '2', pge: '2' } };
    expect(ignoredFieldsOf(operation, request)).toEqual(['emial', 'pge']);
    expect(ignoredFieldsOf({}, request)).toEqual(['emial', 'page', 'pge']);
    expect(ignoredFieldsOf({}, { body: Buffer.from('{"a":1}'), query: {} })).toEqual([]);
  });

  test('an operation that refuses unknown fields ignores none, not even in the query', () => {
    const body = irreversibleAction({ kind: z.literal('A') });
    const request = { body: { x: 1 }, query: { y: '1' } };
    expect(ignoredFieldsOf({ body }, request)).toEqual([]);
    const other = irreversibleAction({ kind: z.literal('B') });
    expect(ignoredFieldsOf({ body: z.union([body, other]) }, request)).toEqual([]);
  });

  test('the names are sanitized and limited for the header', () => {
    expect(ignoredFieldsHeader(['x\r\ny'])).toEqual({ 'Ignored-Fields': 'x??y' });
    const many = Array.from({ length: 30 }, (_, index) => `f${String(index)}`);
    expect(ignoredFieldsHeader(many)['Ignored-Fields']?.split(', ')).toHaveLength(20);
    expect(ignoredFieldsHeader([])).toEqual({});
  });
});
