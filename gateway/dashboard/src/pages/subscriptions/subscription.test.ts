import { cancellationOf, nextStep, standingOf } from './subscription';

test.each([
  ['ACTIVE', 'REGULAR', 'ACTIVE'],
  ['ACTIVE', 'TRIAL', 'TRIALING'],
  ['ACTIVE', 'SCHEDULED', 'SCHEDULED'],
  ['PAST_DUE', 'REGULAR', 'PAST_DUE'],
  ['CANCELED', 'ENDED', 'CANCELED'],
] as const)('%s in phase %s stands as %s', (status, phase, standing) => {
  expect(standingOf({ status, phase })).toBe(standing);
});

describe('what comes next', () => {
  const running = {
    status: 'ACTIVE',
    phase: 'REGULAR',
    cancelAtPeriodEnd: false,
    startAt: '2026-01-01T00:00:00.000Z',
    currentPeriodEnd: '2026-03-01T00:00:00.000Z',
    nextInvoiceAt: '2026-03-01T00:00:00.000Z',
  } as const;

  test('is a renewal, the end of a trial, the start, or the end that was asked for', () => {
    expect(nextStep(running)).toEqual({ what: 'Renews', at: running.nextInvoiceAt });
    expect(nextStep({ ...running, phase: 'TRIAL' })?.what).toBe('Trial ends');
    const scheduled = { ...running, phase: 'SCHEDULED' } as const;
    expect(nextStep(scheduled)).toEqual({ what: 'Begins', at: running.startAt });
    const flagged = { ...running, cancelAtPeriodEnd: true, nextInvoiceAt: null };
    expect(nextStep(flagged)).toEqual({ what: 'Ends', at: running.currentPeriodEnd });
  });

  test('is nothing after the end', () => {
    expect(nextStep({ ...running, status: 'CANCELED', nextInvoiceAt: null })).toBeUndefined();
  });
});

test.each([
  ['SCHEDULED', undefined, true],
  ['REGULAR', 'end', true],
  ['REGULAR', 'now', false],
  ['TRIAL', 'now', false],
] as const)(
  'the cancellation of a subscription in phase %s, asked for as %s, has atPeriodEnd %s',
  (phase, when, atPeriodEnd) => {
    expect(cancellationOf({ phase }, when)).toEqual({ atPeriodEnd });
  },
);
