import { noAnswer, problemOf } from './problem';

const answer = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
});

test('a refusal keeps its text, its code and the request id', () => {
  const headers = { 'Error-Code': 'conflict', 'X-Request-Id': 'r-1' };
  const problem = problemOf(answer(409, headers), { error: 'Already canceled' });
  expect([problem.message, problem.details]).toEqual([
    'Already canceled',
    { status: 409, code: 'conflict', fields: {}, requestId: 'r-1' },
  ]);
});

test('what is wrong with fields stays with the fields', () => {
  const problem = problemOf(answer(400), { error: { email: ['Required'] } });
  expect(problem.details.fields).toEqual({ email: ['Required'] });
  expect(problem.message).toBe('Some of this was not accepted');
});

test.each([undefined, 'gone', { error: 7 }, { error: null }])(
  'an answer of another making (%p) is told by its status',
  (body) => {
    const problem = problemOf(answer(502), body);
    expect([problem.message, problem.details.code]).toEqual(['The server answered 502', 'unknown']);
  },
);

test('tells what passes by itself, and whose session is over', () => {
  expect(noAnswer().isPassing).toBe(true);
  expect(problemOf(answer(503), {}).isPassing).toBe(true);
  expect(problemOf(answer(409), {}).isPassing).toBe(false);
  const over = problemOf(answer(401, { 'Error-Code': 'invalid_session' }), {});
  expect(over.isSessionOver).toBe(true);
});
