import { testContext } from '@billing/chassis/testing';
import { aSubscription } from '../testing/fixtures';
import { creditCancellation } from './create-change-invoice';

test('credits of an end that are not stored any more raise an alarm, and the command finishes', async () => {
  const state = aSubscription();
  const logged: unknown[] = [];
  const dependencies = {
    subscriptions: { getRecent: () => Promise.resolve({ state }) },
    peers: {},
    logger: { error: (...line: unknown[]) => logged.push(line) },
  } as never as Parameters<typeof creditCancellation>[2];
  const payload = { id: state.id, invoiceIds: ['invoice'] };
  await creditCancellation(payload, testContext(), dependencies);
  expect(logged).toEqual([
    [
      {
        alarm: 'cancellation_credits_lost',
        ...{ subscriptionId: state.id, invoiceIds: ['invoice'] },
      },
      'credits of a cancellation lost',
    ],
  ]);
});
