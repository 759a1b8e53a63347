import { InFlightLimit } from './semaphore';

/** Calls that run until the test ends them. */
function held(limit: InFlightLimit, key?: string) {
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  return { end, answer: limit.run(() => ended, key) };
}

const answered = () => Promise.resolve('answered');

test('a call over the limit is refused immediately, and accepted again once one has ended', async () => {
  const limit = new InFlightLimit(2);
  const [first, second] = [held(limit), held(limit)];
  await expect(limit.run(answered)).rejects.toMatchObject({
    kind: 'unavailable',
    reason: 'OVERLOADED',
  });
  first.end(undefined);
  await first.answer;
  await expect(limit.run(answered)).resolves.toBe('answered');
  second.end(undefined);
  await second.answer;
});

test('a key over its limit does not use capacity of others', async () => {
  const limit = new InFlightLimit(1, () => new Error('Too many requests'));
  const first = held(limit, 'a');
  await expect(limit.run(answered, 'a')).rejects.toThrow('Too many requests');
  await expect(limit.run(answered, 'b')).resolves.toBe('answered');
  first.end(undefined);
  await first.answer;
  await expect(limit.run(answered, 'a')).resolves.toBe('answered');
});

test('a failed call releases its place', async () => {
  const limit = new InFlightLimit(1);
  await expect(limit.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(limit.run(answered)).resolves.toBe('answered');
});
