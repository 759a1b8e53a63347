import { InFlightLimit } from './in-flight-limit';

/** Requests that run until they are told to end. */
function held(limit: InFlightLimit, caller?: string) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, answer: limit.run(() => ended, caller) };
}

const answered = () => Promise.resolve('answered');

test('a process takes so many requests at a time and refuses the next at once', async () => {
  const limit = InFlightLimit.ofProcess(2);
  const [first, second] = [held(limit), held(limit)];
  await expect(limit.run(answered)).rejects.toMatchObject({
    status: 503,
    code: 'unavailable',
    headers: { 'Retry-After': '1' },
  });
  first.end();
  await first.answer;
  await expect(limit.run(answered)).resolves.toBe('answered');
  second.end();
  await second.answer;
});

test('a caller with too many takes no place of others', async () => {
  const limit = InFlightLimit.perCaller(1);
  const first = held(limit, 'a');
  await expect(limit.run(answered, 'a')).rejects.toMatchObject({
    status: 429,
    code: 'too_many_requests',
    headers: { 'Retry-After': '1' },
  });
  await expect(limit.run(answered, 'b')).resolves.toBe('answered');
  first.end();
  await first.answer;
  await expect(limit.run(answered, 'a')).resolves.toBe('answered');
});

test('what fails gives its place back', async () => {
  const limit = InFlightLimit.ofProcess(1);
  await expect(limit.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(limit.run(answered)).resolves.toBe('answered');
});
