import { BatchClient } from './batch-client';
import type { CallContext } from './call-context';
import { systemClock } from '../clock';
import { testContext, tooLarge, unimplemented } from '../testing/testing';

/** A peer with a maximum number of requests per call, which records how it received each call. */
function openPeer({ most = 100 } = {}) {
  const calls: { requests: readonly string[]; context: CallContext }[] = [];
  const client = new BatchClient<string, string>({
    one: async (request, context) => {
      calls.push({ requests: [request], context });
      return request.toUpperCase();
    },
    many: async (requests, context) => {
      calls.push({ requests, context });
      if (requests.length > most) throw tooLarge();
      if (context.signal.aborted) throw new Error('The call was cancelled');
      return requests.map((request) => request.toUpperCase());
    },
  });
  return { client, calls };
}

describe('requests that are sent by one call', () => {
  test('are answered for all callers except those that leave, however short their deadlines', async () => {
    const { client, calls } = openPeer();
    const context = testContext();
    const leaving = new AbortController();
    const hurried = { ...context, deadline: systemClock.now(), signal: leaving.signal };
    const answers = Promise.allSettled([client.ask('a', hurried), client.ask('b', context)]);
    leaving.abort();
    expect(await answers).toMatchObject([
      { reason: { message: 'Timed out' } },
      { status: 'fulfilled', value: 'B' },
    ]);
    expect(calls).toMatchObject([
      { requests: ['a', 'b'], context: { deadline: context.deadline } },
    ]);
  });

  test('are split into several calls if they are too large together', async () => {
    const { client, calls } = openPeer({ most: 2 });
    const context = testContext();
    const answers = ['a', 'b', 'c', 'd', 'e'].map((request) => client.ask(request, context));
    expect(await Promise.all(answers)).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(calls.map(({ requests }) => requests.join(''))).toEqual([
      'abcde',
      'abc',
      'de',
      'ab',
      'c',
    ]);
  });
});

test('requests to a peer of an earlier release, which has no call for several, are sent alone', async () => {
  const client = new BatchClient<string, string>({
    one: (request) => Promise.resolve(request.toUpperCase()),
    many: () => Promise.reject(unimplemented()),
  });
  const context = testContext();
  const answers = ['a', 'b'].map((request) => client.ask(request, context));
  expect(await Promise.all(answers)).toEqual(['A', 'B']);
});
