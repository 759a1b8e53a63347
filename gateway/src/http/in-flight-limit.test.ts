import type { Request } from 'express';
import type { InFlightLimit } from '@billing/chassis/semaphore';
import { keylessPlaces, limitOfProcess, limitPerCaller } from './in-flight-limit';

/** Requests that run until the test ends them. */
function held(limit: InFlightLimit, caller?: string) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, answer: limit.run(() => ended, caller) };
}

const answered = () => Promise.resolve('answered');

test('a process refuses requests beyond its limit immediately', async () => {
  const limit = limitOfProcess(2);
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

test('a caller beyond its limit does not use capacity of others', async () => {
  const limit = limitPerCaller(1);
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

test('kinds of requests without a key have separate limits, and each address a shared one', async () => {
  const perAddress = limitPerCaller(2);
  const [payers, operators] = [keylessPlaces(3, perAddress), keylessPlaces(1, perAddress)];
  const from = (ip: string) => ({ ip }) as Request;
  const ended = Promise.withResolvers<string>();
  const hold = () => ended.promise;
  const first = [
    payers(hold, from('2001:db8::1')),
    payers(hold, from('2001:db8::2')),
    payers(hold, from('10.0.0.1')),
  ];
  await expect(operators(answered, from('2001:db8::3'))).rejects.toMatchObject({ status: 429 });
  await expect(payers(answered, from('10.0.0.2'))).rejects.toMatchObject({ status: 503 });
  await expect(operators(answered, from('10.0.0.2'))).resolves.toBe('answered');
  ended.resolve('held');
  await Promise.all(first);
  await expect(operators(answered, from('2001:db8::3'))).resolves.toBe('answered');
});
