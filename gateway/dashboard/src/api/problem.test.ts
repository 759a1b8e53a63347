import { noAnswer, problemOf } from './problem';

const answer = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
});

test('an error response keeps its text, its code and the request id', () => {
  const headers = { 'Error-Code': 'conflict', 'X-Request-Id': 'r-1' };
  const problem = problemOf(answer(409, headers), { error: 'Already canceled' });
  expect([problem.message, problem.details]).toEqual([
    'Already canceled',
    { status: 409, code: 'conflict', fields: {}, requestId: 'r-1' },
  ]);
});

test('error messages of fields stay with their fields', () => {
  const problem = problemOf(answer(400), { error: { email: ['Required'] } });
  expect(problem.details.fields).toEqual({ email: ['Required'] });
  expect(problem.message).toBe('Please fix the fields below');
});

test.each([undefined, 'gone', { error: 7 }, { error: null }])(
  'a response without an error text (%p) is described by its status',
  (body) => {
    const problem = problemOf(answer(502), body);
    expect([problem.message, problem.details.code]).toEqual([
      'The server responded with status 502',
      'unknown',
    ]);
  },
);

test.each([
  [400, undefined],
  [404, undefined],
  [409, undefined],
  [500, 'r-1'],
  [503, 'r-1'],
])('a problem with status %i shows the request id %p', (status, shown) => {
  expect(problemOf(answer(status, { 'X-Request-Id': 'r-1' }), {}).faultId).toBe(shown);
});

test('a problem is marked as transient, or as the end of the session', () => {
  expect(noAnswer().isTransient).toBe(true);
  expect(problemOf(answer(503), {}).isTransient).toBe(true);
  expect(problemOf(answer(409), {}).isTransient).toBe(false);
  const over = problemOf(answer(401, { 'Error-Code': 'invalid_session' }), {});
  expect(over.isSessionOver).toBe(true);
});
