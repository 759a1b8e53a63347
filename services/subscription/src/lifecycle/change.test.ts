import { changeFields, type SubscriptionChanges } from './change';
import { cancel } from './cancellation';
import type { Subscription } from '../subscription/subscription';
import { aSubscription, at, day } from '../testing/fixtures';

const running = aSubscription({ metadata: { plan: 'x', seats: 2 } });
const pastDue: Subscription = { ...running, status: 'PAST_DUE' };
const ended = cancel(running, { atPeriodEnd: false, ...at(day('02-05')) }).state;
const change = (
  subscription: Subscription,
  changes: SubscriptionChanges,
  { time = day('02-10'), metadataProblems = [] as readonly string[] } = {},
) => changeFields(subscription, changes, { ...at(time), metadataProblems });

describe('changing metadata', () => {
  test.each([
    ['ACTIVE', running],
    ['PAST_DUE', pastDue],
    ['CANCELED', ended],
  ])(
    'of a subscription that is %s replaces the metadata and announces the change',
    (_name, before) => {
      const { state, events, commands } = change(before, { metadata: { seats: 3 } });

      expect(state).toEqual({ ...before, metadata: { seats: 3 } });
      expect(events).toEqual([
        { type: 'subscription.updated', data: { subscription: state, before } },
      ]);
      expect(commands).toEqual([]);
    },
  );

  test.each<[string, SubscriptionChanges]>([
    ['nothing', {}],
    ['the same metadata', { metadata: { plan: 'x', seats: 2 } }],
    ['the same metadata in another order', { metadata: { seats: 2, plan: 'x' } }],
  ])('to %s does nothing', (_name, changes) => {
    const transition = change(running, changes);
    expect(transition.state).toBe(running);
    expect(transition).toMatchObject({ events: [], commands: [] });
  });

  test('is refused with a violation for each invalid field, in every state', () => {
    const problems = { metadataProblems: ['Too many keys'] };
    expect(() => change(ended, { metadata: {} }, problems)).toThrow(
      expect.objectContaining({ fields: { metadata: ['Too many keys'] } }),
    );
  });

  test('follows an overdue renewal, and precedes one that is due at the same instant', () => {
    const types = (time: Date) =>
      change(running, { metadata: {} }, { time }).events.map(({ type }) => type);
    expect(types(day('03-01'))).toEqual(['subscription.renewed', 'subscription.updated']);
    expect(types(day('02-28'))).toEqual(['subscription.updated']);
  });
});
