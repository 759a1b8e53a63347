import {
  type DunningDay,
  type DunningOutcome,
  dunningOutcome,
  dunningReport,
  dunningStepsReached,
  type Resolved,
} from './dunning-report';
import { tombstone } from '../invoice';
import { anOpened } from '../../testing/invoice';

const firstFailedAt = new Date('2026-01-01T00:00:00.000Z');

describe('the dunning steps of an invoice', () => {
  test('begin with the first failure of the schedule, and end with the invoice', () => {
    const opened = anOpened();
    const failed = { ...opened, firstFailedAt };
    expect(dunningStepsReached(opened)).toEqual([]);
    expect(dunningStepsReached({ ...opened, status: 'PAID' })).toEqual([]);
    expect(dunningStepsReached(failed)).toEqual(['FAILED']);
    for (const status of ['PAID', 'VOID', 'UNCOLLECTIBLE'] as const) {
      expect(dunningStepsReached({ ...failed, status })).toEqual(['FAILED', 'RESOLVED']);
    }
  });

  test('are empty for a tombstone', () => {
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
    'the third retry, after a failed attempt of the payer',
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
    'the last date without a payment',
    { status: 'UNCOLLECTIBLE', payments: [{ origin: 'COLLECTION', status: 'FAILED' }] },
    { kind: 'UNCOLLECTIBLE' },
  ],
  [
    'a void',
    { status: 'VOID', payments: [{ origin: 'COLLECTION', status: 'FAILED' }] },
    { kind: 'VOIDED' },
  ],
])('dunning of an invoice is ended by %s', (_by, resolved, outcome) => {
  expect(dunningOutcome(resolved)).toEqual(outcome);
});

test('a report sums the requested days by currency, and counts the remaining invoices as open', () => {
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
