import type { StepReport } from './request-steps';
import { unfinishedSteps } from './unfinished-steps';

test('states that a service could not reassert keep the system closed', () => {
  const steps: StepReport[] = [
    { step: 'reassert', counts: { 'subscription.subscriptions': 3, 'subscription.failed': 1 } },
    { step: 'catchUp', counts: { 'subscription.usageRefused': 1 } },
    { step: 'provider', counts: { 'checkout.attempts': 2, 'checkout.attemptsLeft': 0 } },
  ];
  expect(unfinishedSteps(steps)).toEqual([
    { invariant: 'reassert', text: expect.stringContaining('subscription: 1 states') },
    { invariant: 'catchUp', text: expect.stringContaining('subscription: 1 subscriptions') },
  ]);
  expect(unfinishedSteps([])).toEqual([]);
});

test('disputes that the provider could not show keep the system closed', () => {
  const steps: StepReport[] = [{ step: 'match', counts: { 'checkout.disputesLeft': 1 } }];
  expect(unfinishedSteps(steps)).toEqual([
    { invariant: 'match', text: expect.stringContaining('checkout: 1 disputes') },
  ]);
});

test('an end that waits for a payment is a finding only after the last attempt', () => {
  const steps: StepReport[] = [
    { step: 'reassert', counts: { 'subscription.endsPostponed': 2 } },
    { step: 'catchUp', counts: { 'subscription.endsLeft': 1 } },
  ];
  expect(unfinishedSteps(steps)).toEqual([
    { invariant: 'catchUp', text: expect.stringContaining('subscription: 1 ends') },
  ]);
});
