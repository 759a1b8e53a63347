import { cancellationOf, nextStep, displayedStatus } from './subscription';

test.each([
  ['ACTIVE', 'REGULAR', 'ACTIVE'],
  ['ACTIVE', 'TRIAL', 'ON_TRIAL'],
  ['ACTIVE', 'SCHEDULED', 'SCHEDULED'],
  ['PAST_DUE', 'REGULAR', 'PAST_DUE'],
  ['CANCELED', 'ENDED', 'CANCELED'],
] as const)(
  'a subscription with status %s in phase %s is displayed as %s',
  (status, phase, standing) => {
    expect(displayedStatus({ status, phase })).toBe(standing);
  },
);

describe('the next step of a subscription', () => {
  const running = {
    status: 'ACTIVE',
    phase: 'REGULAR',
    cancelAtPeriodEnd: false,
    startAt: '2026-01-01T00:00:00.000Z',
    currentPeriodEnd: '2026-03-01T00:00:00.000Z',
    nextInvoiceAt: '2026-03-01T00:00:00.000Z',
  } as const;

  test('is a renewal, the end of a trial, the start, or the scheduled end', () => {
    expect(nextStep(running)).toEqual({ what: 'Renews', at: running.nextInvoiceAt });
    expect(nextStep({ ...running, phase: 'TRIAL' })?.what).toBe('Trial ends');
    const scheduled = { ...running, phase: 'SCHEDULED' } as const;
    expect(nextStep(scheduled)).toEqual({ what: 'Starts', at: running.startAt });
    const flagged = { ...running, cancelAtPeriodEnd: true, nextInvoiceAt: null };
    expect(nextStep(flagged)).toEqual({ what: 'Ends', at: running.currentPeriodEnd });
  });

  test('is undefined after the end', () => {
    expect(nextStep({ ...running, status: 'CANCELED', nextInvoiceAt: null })).toBeUndefined();
  });
});

test.each([
  ['SCHEDULED', undefined, true],
  ['REGULAR', 'end', true],
  ['REGULAR', 'now', false],
  ['TRIAL', 'now', false],
] as const)(
  'the cancellation of a subscription in phase %s, requested as %s, has atPeriodEnd %s',
  (phase, when, atPeriodEnd) => {
    expect(cancellationOf({ phase }, when)).toEqual({ atPeriodEnd });
  },
);
