import { testContext } from '@billing/chassis/testing';
import type { Subscription } from '../subscription/subscription';
import { noChanges } from '../subscription/subscription-change';
import { aSubscription } from '../testing/fixtures';
import { creditCancellation, recordFinishedChanges } from './create-change-invoice';

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

test.each([
  ['APPLIED', [['putOff', 'invoice']]],
  ['FAILED', []],
])('the invoice of a change that is %s bills of the lines put off: %j', async (status, billed) => {
  const finished = {
    ...{ id: 'change', status, invoice: { invoiceId: 'invoice' }, takenChangeIds: ['putOff'] },
    wanted: { product: null, quantity: 3, discount: null },
  };
  let state = aSubscription();
  state = { ...state, changes: { ...noChanges, finished: [finished as never] } };
  const recorded: unknown[] = [];
  const dependencies = {
    subscriptions: {
      getRecent: () => Promise.resolve({ state }),
      record: (_id: string, _context: unknown, record: (current: Subscription) => Subscription) => {
        state = record(state);
        return Promise.resolve();
      },
    },
    changes: {
      record: () => Promise.resolve(),
      recordBilledOn: (id: string, invoiceId: string) => {
        recorded.push([id, invoiceId]);
        return Promise.resolve();
      },
    },
  } as never as Parameters<typeof recordFinishedChanges>[2];
  await recordFinishedChanges(state.id, testContext(), dependencies);
  expect(recorded).toEqual(billed);
  expect(state.changes.finished).toEqual([]);
});
