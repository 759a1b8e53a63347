import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { datesAfter, isPermanentlyRefused, retryDates } from './dunning';

// Cases of other billing systems, recomputed; "rules" in the file explains the kinds.
interface VectorCase {
  readonly id: string;
  readonly given: {
    readonly kind: string;
    readonly intervalsDays: readonly number[];
    readonly firstFailureAt: string;
    readonly lastFailureAt: string;
    readonly failedAttempts: number;
  };
  readonly expect: { readonly retries: readonly string[]; readonly nextRetryAt: string | null };
}

const file = join(__dirname, '../../vectors/dunning.json');
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly VectorCase[] };

// Features that do not exist here: campaigns over all invoices of a customer, and customer stages
// by the age of the debt.
const elsewhere = ['gate', 'state'];
const dayMs = 24 * 60 * 60 * 1000;

/** Days after the first failure, for cases that give the days between failures. */
function daysAfterFirst(intervalsDays: readonly number[]): number[] {
  return intervalsDays.map((_days, index) =>
    intervalsDays.slice(0, index + 1).reduce((sum, days) => sum + days, 0),
  );
}

function ofKind(kind: string): (readonly [string, VectorCase])[] {
  return cases.filter(({ given }) => given.kind === kind).map((each) => [each.id, each] as const);
}

test('every kind of case is checked or belongs to a feature that does not exist', () => {
  const kinds = new Set(cases.map(({ given }) => given.kind));
  expect([...kinds].sort()).toEqual([...elsewhere, 'next', 'schedule'].sort());
});

test.each(ofKind('schedule'))(
  'the schedule of case %s is reproduced',
  (_id, { given, expect: expected }) => {
    const dates = retryDates(new Date(given.firstFailureAt), daysAfterFirst(given.intervalsDays));
    expect(dates).toEqual(expected.retries.map((date) => new Date(date)));
  },
);

test.each(ofKind('next'))(
  'the next retry of case %s is reproduced',
  (_id, { given, expect: expected }) => {
    const days = daysAfterFirst(given.intervalsDays);
    const daysSoFar = days[given.failedAttempts - 2] ?? 0;
    const firstFailedAt = new Date(Date.parse(given.lastFailureAt) - daysSoFar * dayMs);
    const next = retryDates(firstFailedAt, days)[given.failedAttempts - 1];
    expect(next ?? null).toEqual(
      expected.nextRetryAt === null ? null : new Date(expected.nextRetryAt),
    );
  },
);

const soft = { methodId: 'a', decline: 'SOFT' } as const;
const hard = { methodId: 'a', decline: 'HARD' } as const;
const paid = { methodId: 'a', decline: undefined };

test.each([
  ['no payment', [], 'a', false],
  ['a soft decline', [soft], 'a', false],
  ['a hard decline', [hard], 'a', true],
  ['a hard decline of another method', [hard], 'b', false],
  ['a hard decline, then another method', [hard, { ...soft, methodId: 'b' }], 'a', true],
  ['a soft decline after a hard one', [hard, soft], 'a', false],
  ['a success after a hard decline', [hard, paid], 'a', false],
  ['no method', [hard], undefined, false],
] as const)(
  'a method is permanently refused or not after %s',
  (_case, payments, methodId, isRefused) => {
    expect(isPermanentlyRefused(payments, methodId)).toBe(isRefused);
  },
);

describe('the remaining dates', () => {
  const day = (days: number) => new Date(Date.parse('2026-01-01T00:00:00.000Z') + days * dayMs);

  test.each([
    ['on time', 3, [7, 14], [7, 14]],
    ['five hours late', 3.2, [7, 14], [7, 14]],
    ['five days late', 8, [7, 14], [9, 14]],
    ['just before the next date', 6.5, [7, 14], [7.5, 14]],
    ['after all dates', 20, [7, 14], [21, 22]],
  ])('after a retry %s are at least a day apart', (_case, at, left, expected) => {
    expect(datesAfter(day(at), left.map(day))).toEqual(expected.map(day));
  });
});
