import { z } from 'zod';
import { DomainError } from '@billing/kernel/domain-error';
import { irreversibleAction, optional, pageShape, readBody, readQuery, time } from './input';
import type { ApiRequest } from './request';

const request = (parts: Partial<ApiRequest>): ApiRequest => ({
  params: {},
  query: {},
  body: {},
  context: {} as ApiRequest['context'],
  expectedVersion: undefined,
  caller: { type: 'KEY', id: 'id' },
  ...parts,
});

function problemsOf(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    if (error instanceof DomainError) return error.fields;
    throw error;
  }
  throw new Error('Nothing was refused');
}

const Body = z.object({
  email: z.string(),
  name: optional(z.string().max(3)),
  startAt: optional(time),
  events: optional(z.array(z.object({ timestamp: time }))),
});

describe('a body', () => {
  test.each([
    ['missing', {}],
    ['null', { email: null }],
  ])('reports Required for a required field that is %s', (_case, body) => {
    expect(problemsOf(() => readBody(Body, request({ body })))).toEqual({ email: ['Required'] });
  });

  test.each([
    ['Must be at most 3 characters', z.string().max(3), 'long'],
    ['Must be at least 2 characters', z.string().min(2), 'x'],
    ['Must be a string', z.string(), 7],
    ['Must be a whole number', z.int(), 1.5],
    ['Must be at most 9', z.int().max(9), 10],
    ['Must be at least 1', z.int().min(1), 0],
    ['Must be true or false', z.boolean(), 'yes'],
    ['Must be one of X, Y', z.enum(['X', 'Y']), 'Z'],
    ['Required', z.enum(['X', 'Y']), undefined],
    ['Required', time, undefined],
    ['Must be at least 1 character', z.string().min(1), ''],
    ['Must have at most 1 element', z.array(z.string()).max(1), ['a', 'b']],
    ['Must have at least 2 elements', z.array(z.string()).min(2), ['a']],
    ['Must be above 0', z.number().gt(0), 0],
    ['Must be at most 9', z.int().max(9), 2 ** 53],
    ['Must be at least 1', z.int().min(1), -(2 ** 53)],
    ['Must be an object', z.object({}), 'x'],
  ])('reports the problem: %s', (message, field: z.ZodType, a) => {
    const read = () => readBody(z.object({ a: field }), request({ body: { a } }));
    expect(problemsOf(read)).toEqual({ a: [message] });
  });

  test('treats null in an optional field as absent', () => {
    const input = readBody(Body, request({ body: { email: 'a', name: null } }));
    expect(input).toEqual({ email: 'a' });
  });

  test('lists a nested problem under its top-level field with the path in front', () => {
    const body = { email: 'a', events: [{ timestamp: '2026-01-01' }] };
    expect(problemsOf(() => readBody(Body, request({ body })))).toEqual({
      events: ['0.timestamp: Invalid datetime'],
    });
  });

  test.each([[[]], ['text'], [7], [null]])('is refused if it is not an object: %j', (body) => {
    expect(() => readBody(Body, request({ body }))).toThrow('Body must be a JSON object');
  });

  test.each(['2026-01-01T00:00:00', '2026-13-01T00:00:00Z', 'yesterday', '2026-02-30T00:00:00Z'])(
    'refuses the time %s',
    (startAt) => {
      const body = { email: 'a', startAt };
      expect(problemsOf(() => readBody(Body, request({ body })))).toEqual({
        startAt: ['Invalid datetime'],
      });
    },
  );

  test('accepts a time with a UTC offset', () => {
    const body = { email: 'a', startAt: '2026-01-01T01:00:00+01:00' };
    expect(readBody(Body, request({ body })).startAt).toEqual(new Date('2026-01-01T00:00:00Z'));
  });
});

describe('the body of an irreversible action', () => {
  const Cancel = irreversibleAction({ atPeriodEnd: optional(z.boolean()) });

  test('refuses query parameters together with the problems of the body', () => {
    const query = { atPeriodEnd: 'true', dryRun: '1' };
    expect(problemsOf(() => readBody(Cancel, request({ query })))).toEqual({
      atPeriodEnd: ['Unknown field'],
      dryRun: ['Unknown field'],
    });
    const body = { atPeriodEnd: 'yes', at: 1 };
    expect(problemsOf(() => readBody(Cancel, request({ body, query })))).toEqual({
      atPeriodEnd: ['Must be true or false', 'Unknown field'],
      at: ['Unknown field'],
      dryRun: ['Unknown field'],
    });
  });

  test('is the only one for which query parameters are refused', () => {
    const body = { email: 'a' };
    expect(readBody(Body, request({ body, query: { dryRun: '1' } }))).toEqual(body);
  });
});

describe('a page', () => {
  const Query = z.object(pageShape);

  test('defaults to the first page with 20 items', () => {
    expect(readQuery(Query, request({}))).toEqual({ page: 1, perPage: 20 });
  });

  test.each(['', '0', '-1', '1.5', 'x', '101', '1e2', ' 1'])('refuses perPage=%j', (perPage) => {
    const read = () => readQuery(Query, request({ query: { perPage } }));
    expect(Object.keys(problemsOf(read) as object)).toEqual(['perPage']);
  });

  test('refuses a repeated parameter', () => {
    const read = () => readQuery(Query, request({ query: { page: ['1', '2'] } }));
    expect(Object.keys(problemsOf(read) as object)).toEqual(['page']);
  });
});
