import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { missingIn, replayCommand } from './replay';

const origin = 'https://billing.example';
const body = (json: string, isShortened = false) => ({ json, isShortened });

test('a command names the request and has a placeholder for the key', () => {
  const request = {
    ...{ method: 'POST', path: '/v1/customers', query: null },
    requestBody: body('{"name":"D\'Arc"}'),
  };
  expect(replayCommand(request, origin).split(' \\\n')).toEqual([
    'curl -X POST https://billing.example/v1/customers',
    "  -H 'Authorization: Bearer YOUR_KEY'",
    "  -H 'Content-Type: application/json'",
    `  --data-binary '{"name":"D'\\''Arc"}'`,
  ]);
  expect(missingIn(request)).toEqual(['Replace YOUR_KEY with an API key.']);
});

test('a request without a body sends none, and a shortened body comes from a file', () => {
  const read = { method: 'GET', path: '/v1/customers/1', query: null, requestBody: null };
  expect(replayCommand(read, origin)).not.toContain('--data');
  const long = { ...read, method: 'POST', requestBody: body('{"a":"…"}', true) };
  expect(replayCommand(long, origin)).toContain('--data-binary @body.json');
  expect(missingIn({ query: null, requestBody: body('"[redacted]"', true) })).toHaveLength(3);
});

test('a command repeats the query, and names what the log does not keep of it', () => {
  const read = { method: 'GET', path: '/v1/customers', requestBody: null };
  const refused = { ...read, query: 'perPage=0&email=ada%40example.com' };
  expect(replayCommand(refused, origin).split(' \\\n')[0]).toBe(
    "curl -X GET 'https://billing.example/v1/customers?perPage=0&email=ada%40example.com'",
  );
  expect(missingIn(refused)).toHaveLength(1);
  expect(missingIn({ ...read, query: 'token=[redacted]&…' })).toHaveLength(3);
});

test('a shell reads exactly the path and the body, with any characters', () => {
  const text = fc.string({ unit: 'binary' }).map((drawn) => drawn.replaceAll('\0', ''));
  fc.assert(
    fc.property(text, fc.json(), (path, json) => {
      const request = {
        method: 'PATCH',
        path: `/v1/${path}`,
        query: null,
        requestBody: body(json),
      };
      const printed = `curl() { printf '%s\\0' "$@"; }; ${replayCommand(request, origin)}`;
      const given = execFileSync('/bin/sh', ['-c', printed]).toString('utf8').split('\0');
      const asBytes = (value: string) => Buffer.from(value).toString('utf8');
      expect(given.slice(0, 3)).toEqual(['-X', 'PATCH', asBytes(`${origin}/v1/${path}`)]);
      expect(given.slice(-3)).toEqual(['--data-binary', asBytes(json), '']);
    }),
    { numRuns: 25 },
  );
});
