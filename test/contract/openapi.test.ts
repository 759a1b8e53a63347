import { productVersion } from '@billing/chassis/version';
import { DescribedAnswers } from '../support/described-answers';
import { lintDocument } from './document-lint';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

const read = (path: string, headers = {}) => fetch(`${system.gatewayUrl}${path}`, { headers });

describe('the description of the API', () => {
  test('is public, and answers 304 to a client that has it', async () => {
    const answer = await read('/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toMatchObject({ openapi: '3.1.0' });
    const again = await read('/openapi.json', { 'If-None-Match': answer.headers.get('etag') });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('has neither errors nor warnings', async () => {
    const text = await (await read('/openapi.json')).text();
    const { totals, problems } = await lintDocument('openapi', text);
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  });
});

test.each(['/', '/openapi.json', '/asyncapi.json', '/docs', '/healthz', '/readyz'])(
  '%s can only be read',
  async (path) => {
    const answer = await fetch(`${system.gatewayUrl}${path}`, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  },
);

describe('the root address', () => {
  test('names the release and the documentation to programs', async () => {
    const answer = await read('/', { Accept: '*/*' });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        name: 'billing',
        version: productVersion,
        documentation: '/docs',
        openapi: '/openapi.json',
        llms: '/llms.txt',
      },
    ]);
  });

  test('redirects browsers to the dashboard', async () => {
    const answer = await fetch(system.gatewayUrl, {
      headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/dashboard']);
  });
});

describe('a response that differs from the description', () => {
  const body = { status: 'ok' };
  const headers = new Headers({ 'X-Request-Id': 'r' });

  test.each([
    ['another field', { status: 200, body: { ...body, more: 1 } }],
    ['a missing field', { status: 200, body: {} }],
    ['another value', { status: 200, body: { status: 'bad' } }],
    ['another status', { status: 202, body }],
  ])('is reported: %s', async (_case, answer) => {
    const described = new DescribedAnswers(await (await read('/openapi.json')).json());
    const request = { method: 'GET', path: '/healthz' };
    described.check(request, { status: 200, headers, body });
    expect(() => {
      described.check(request, { headers, ...answer });
    }).toThrow('GET /healthz');
  });
});
