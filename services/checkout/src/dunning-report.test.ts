import {
  type DunningDay,
  type DunningOutcome,
  dunningOutcome,
  dunningReport,
  dunningStepsReached,
  type Resolved,
} from './dunning-report';
import { tombstone } from './invoice';
import { anOpened } from './testing';

const firstFailedAt = new Date('2026-01-01T00:00:00.000Z');

describe('what dunning counts of an invoice', () => {
  test('begins with the first failure of the schedule, and ends with the invoice', () => {
    const opened = anOpened();
    const failed = { ...opened, firstFailedAt };
    expect(dunningStepsReached(opened)).toEqual([]);
    expect(dunningStepsReached({ ...opened, status: 'PAID' })).toEqual([]);
    expect(dunningStepsReached(failed)).toEqual(['FAILED']);
    for (const status of ['PAID', 'VOID', 'UNCOLLECTIBLE'] as const) {
      expect(dunningStepsReached({ ...failed, status })).toEqual(['FAILED', 'RESOLVED']);
    }
  });

  test('is nothing of what was never made', () => {
    const { id, subscriptionId, customerId, currency } = anOpened();
    const { state } = tombstone({ id, subscriptionId, customerId, currency });
    expect(dunningStepsReached(state)).toEqual([]);
  });
});

type Origin = Resolved['payments'][number]['origin'];
const charged = (...origins: Origin[]): Resolved['payments'] =>
  origins.map((origin, index) => ({
    origin,
    status: index === origins.length - 1 ? 'SUCCEEDED' : 'FAILED',
  }));

test.each<[string, Resolved, DunningOutcome]>([
  [
    'the first retry',
    { status: 'PAID', payments: charged('COLLECTION', 'COLLECTION') },
    { kind: 'RECOVERED_BY_RETRY', retry: 1 },
  ],
  [
    'the third retry, somebody having tried in between',
    {
      status: 'PAID',
      payments: charged('COLLECTION', 'COLLECTION', 'PAYER', 'COLLECTION', 'COLLECTION'),
    },
    { kind: 'RECOVERED_BY_RETRY', retry: 3 },
  ],
  [
    'its payer',
    { status: 'PAID', payments: charged('COLLECTION', 'PAYER') },
    { kind: 'RECOVERED_OTHERWISE' },
  ],
  [
    'a new default method',
    { status: 'PAID', payments: charged('COLLECTION', 'NEW_DEFAULT') },
    { kind: 'RECOVERED_OTHERWISE' },
  ],
  [
    'nobody',
    { status: 'UNCOLLECTIBLE', payments: [{ origin: 'COLLECTION', status: 'FAILED' }] },
    { kind: 'UNCOLLECTIBLE' },
  ],
  [
    'whoever voided it',
    { status: 'VOID', payments: [{ origin: 'COLLECTION', status: 'FAILED' }] },
    { kind: 'VOIDED' },
  ],
])('an invoice whose first charge failed is brought to its end by %s', (_by, resolved, outcome) => {
  expect(dunningOutcome(resolved)).toEqual(outcome);
});

test('a report adds up the days that are asked for, by currency, and what is left is open', () => {
  const of = (count: number) => ({ count: BigInt(count), amount: BigInt(count) * 100n });
  const day = (parts: Partial<DunningDay>): DunningDay => ({
    day: '2026-01-31',
    currency: 'USD',
    failed: of(0),
    recoveredByRetry: [],
    recoveredOtherwise: of(0),
    uncollectible: of(0),
    voided: of(0),
    ...parts,
  });
  const sums = [
    day({ failed: of(9), recoveredByRetry: [of(1), of(0), of(2)], uncollectible: of(1) }),
    day({ day: '2026-02-01', failed: of(3), recoveredByRetry: [of(1)], voided: of(1) }),
    day({ day: '2026-02-01', currency: 'EUR', failed: of(1), recoveredOtherwise: of(1) }),
    day({ day: '2026-02-02', failed: of(100) }),
  ];
  expect(dunningReport(sums, ['2026-01-31', '2026-02-01'])).toEqual([
    {
      currency: 'EUR',
      failed: of(1),
      recoveredByRetry: [],
      recoveredOtherwise: of(1),
      open: of(0),
      uncollectible: of(0),
      voided: of(0),
    },
    {
      currency: 'USD',
      failed: of(12),
      recoveredByRetry: [of(2), of(0), of(2)],
      recoveredOtherwise: of(0),
      open: of(6),
      uncollectible: of(1),
      voided: of(1),
    },
  ]);
});
