import { aSubscription, day } from '../testing/fixtures';
import {
  billErased,
  billLate,
  billLateNow,
  lateBillNumber,
  lateKey,
  lateRoundOf,
} from './late-bill';

const lateBillAt = day('04-05');
const ended = (lastBill: number, at: Date | null = lateBillAt) => {
  const subscription = { ...aSubscription(), periodIndex: 3 };
  return { ...subscription, usage: { ...subscription.usage, lastBill, lateBillAt: at } };
};
const order = (round: number) => ({ type: 'billLate', payload: { round } });

test.each([
  ['the bill of the end', 4, 1],
  ['a late bill', 5, 2],
  ['two late bills', 6, 3],
])('the late bill after %s has the next round', (_name, lastBill, round) => {
  expect(billLate(ended(lastBill)).commands).toEqual([order(round)]);
});

test('a late bill before a deletion leaves the planned one, which is the last', () => {
  const subscription = ended(4);
  const { state, events, commands } = billLateNow(subscription);
  expect([events, commands]).toEqual([[], [order(1)]]);
  expect(state.usage).toEqual({ ...subscription.usage, lateRound: 1 });
  expect(billLate(subscription).state.usage.lateBillAt).toBeNull();
  expect(billLateNow(ended(4, null)).commands).toEqual([]);
});

test('the last bill of a deleted customer has the buyer as it was, and is ordered once', () => {
  const { state, commands } = billErased(ended(4), 'Ada');
  expect(commands).toEqual([{ type: 'billLate', payload: { round: 1, buyer: 'Ada' } }]);
  expect(state.usage.lateBillAt).toBeNull();
  expect(billErased(state, 'Ada')).toEqual({ state, events: [], commands: [] });
});

test('a late bill while an earlier one waits has a round of its own, which bills what came since', () => {
  const { state } = billLateNow(ended(4));
  expect(billLate(state).commands).toEqual([order(2)]);
  expect(billLateNow(billLateNow(state).state).commands).toEqual([order(3)]);
});

test('each round has a number and a key of its own; the first ones are those of earlier releases', () => {
  const subscription = ended(4);
  expect([1, 2].map((round) => lateBillNumber(subscription, round))).toEqual([5, 6]);
  expect([5, 6].map((bill) => lateRoundOf(subscription, bill))).toEqual([1, 2]);
  expect([1, 2].map(lateKey)).toEqual(['late', 'late:2']);
});
