import { addressOf, newIdempotencyKey, send } from './client';

afterEach(() => {
  jest.restoreAllMocks();
});

function answering(answer: () => Response) {
  return jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(answer()));
}

test('a query leaves out undefined and empty values', () => {
  const query = { page: 2, status: '', search: 'a b&c', archived: false, plan: undefined };
  expect(addressOf('/v1/products', query)).toBe(
    '/v1/products?page=2&search=a+b%26c&archived=false',
  );
  expect(addressOf('/v1/products')).toBe('/v1/products');
});

test('a write sends its environment, its content type and its idempotency key', async () => {
  const fetched = answering(() => new Response('{"id":"1"}', { status: 201 }));
  const request = { method: 'POST', path: '/v1/customers', body: { email: 'a@b.c' } } as const;
  expect(await send({ ...request, environmentId: 'e-1', idempotencyKey: 'k' })).toEqual({
    id: '1',
  });
  expect(fetched.mock.calls[0]?.[1]).toMatchObject({
    body: '{"email":"a@b.c"}',
    headers: {
      'Content-Type': 'application/json',
      'Environment-Id': 'e-1',
      'Idempotency-Key': 'k',
    },
  });
});

test('a response without a body is undefined', async () => {
  answering(() => new Response(null, { status: 204 }));
  expect(await send({ method: 'DELETE', path: '/v1/api-keys/1' })).toBeUndefined();
});

test('an error response and a missing response both throw a problem', async () => {
  const headers = { 'X-Request-Id': 'r-9' };
  answering(() => new Response('<html>', { status: 502, headers }));
  await expect(send({ path: '/v1/customers' })).rejects.toMatchObject({
    details: { status: 502, requestId: 'r-9' },
  });
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  await expect(send({ path: '/v1/customers' })).rejects.toMatchObject({ details: { status: 0 } });
});

test('idempotency keys are unique', () => {
  const keys = Array.from({ length: 100 }, newIdempotencyKey);
  expect(new Set(keys).size).toBe(100);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
});
