import { providerAlarm } from './alarms';

test('attempts that wait for their provider raise one alarm a minute', () => {
  let nowMs = 0;
  const error = jest.fn();
  const alarm = providerAlarm({ logger: { error }, clock: { now: () => new Date(nowMs) } });
  const change = {
    invoiceId: 'invoice',
    environmentId: 'environment',
    startedWith: 'stripe',
    configured: 'none',
  };
  for (const at of [0, 1, 59_999, 60_000, 60_001]) {
    nowMs = at;
    alarm(change);
  }

  expect(error).toHaveBeenCalledTimes(2);
  expect(error).toHaveBeenCalledWith(change, expect.stringContaining('payment provider'));
});
