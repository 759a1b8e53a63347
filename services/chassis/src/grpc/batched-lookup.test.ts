import { BatchedLookup } from './batch-client';
import type { CallContext } from './call-context';
import { systemClock } from '../clock';
import { newId } from '../ids';
import { testContext, tooLarge } from '../testing/testing';

interface Thing {
  readonly id: string;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A peer that has all ids except those that begin with `no`, and answers when the test says so. */
function openPeer() {
  const calls: { ids: string[]; context: CallContext; answer: (error?: Error) => void }[] = [];
  const lookup = new BatchedLookup<Thing>(
    (ids, context) =>
      new Promise((resolve, reject) => {
        const answer = (error?: Error) => {
          if (error !== undefined) reject(error);
          else resolve(ids.filter((id) => !id.startsWith('no')).map((id) => ({ id })));
        };
        calls.push({ ids, context, answer });
      }),
  );
  return { lookup, calls };
}

test('concurrent lookups share one call, and each gets its own answer', async () => {
  const { lookup, calls } = openPeer();
  const context = testContext();
  const answers = Promise.all(['a', 'b', 'none', 'a'].map((id) => lookup.find(id, context)));
  await turn();
  expect(calls.map(({ ids }) => ids)).toEqual([['a', 'b', 'none']]);
  calls[0]!.answer();
  expect(await answers).toEqual([{ id: 'a' }, { id: 'b' }, undefined, { id: 'a' }]);
});

test('lookups of different environments, or of different times under a manual clock, never share a call', async () => {
  const { lookup, calls } = openPeer();
  const context = testContext();
  const manual = testContext({ now: new Date('2026-01-01T00:00:00.000Z') });
  const later = { ...manual, now: new Date('2026-01-02T00:00:00.000Z') };
  const answers = [context, testContext(), manual, later].map((one) => lookup.find('a', one));
  for (let index = 0; index < answers.length; index += 1) {
    await turn();
    calls[index]!.answer();
  }
  await Promise.all(answers);
  const contexts = calls.map(({ context: { tenant, now } }) => [tenant.environmentId, now]);
  expect(contexts).toEqual(
    [context, calls[1]!.context, manual, later].map(({ tenant, now }) => [
      tenant.environmentId,
      now,
    ]),
  );
  expect(new Set(calls.map(({ context: { tenant } }) => tenant.environmentId)).size).toBe(3);
});

test('a caller that leaves, or has a short deadline, does not affect the answers of others', async () => {
  const { lookup, calls } = openPeer();
  const leaving = new AbortController();
  const now = systemClock.now();
  const context = testContext();
  const hurried = { ...context, deadline: now, signal: leaving.signal };
  const patient = { ...context, deadline: new Date(now.getTime() + 60_000), requestId: newId() };
  const answers = Promise.allSettled([lookup.find('a', hurried), lookup.find('b', patient)]);
  await turn();
  leaving.abort();
  expect(calls).toHaveLength(1);
  expect(calls[0]!.context.signal.aborted).toBe(false);
  expect(calls[0]!.context.deadline).toEqual(patient.deadline);
  calls[0]!.answer();
  expect(await answers).toMatchObject([
    { reason: { message: 'Timed out' } },
    { status: 'fulfilled', value: { id: 'b' } },
  ]);
});

test('a call that fails rejects all its lookups, and the next ones call again', async () => {
  const { lookup, calls } = openPeer();
  const context = testContext();
  const failing = Promise.allSettled([lookup.find('a', context), lookup.find('b', context)]);
  await turn();
  calls[0]!.answer(new Error('away'));
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = lookup.find('a', context);
  await turn();
  calls[1]!.answer();
  expect(await next).toEqual({ id: 'a' });
});

test('lookups that are too large for one call are split into several', async () => {
  const calls: string[] = [];
  const lookup = new BatchedLookup<Thing>(async (ids) => {
    calls.push(ids.join(''));
    if (ids.length > 2) throw tooLarge();
    return ids.map((id) => ({ id }));
  });
  const context = testContext();
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map((id) => lookup.find(id, context)),
  );
  expect(answers.map((found) => found?.id).join('')).toBe('abcde');
  expect(calls).toEqual(['abcde', 'abc', 'de', 'ab', 'c']);
});

test('an answer that is too large on its own is a failure', async () => {
  const lookup = new BatchedLookup<Thing>(() => Promise.reject(tooLarge()));
  await expect(lookup.find('a', testContext())).rejects.toThrow('Service unavailable');
});
