import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addMonths,
  periodAt,
  periodContaining,
  trialEnd,
  type BillingInterval,
} from './billing-period';
import { exponentOf, parseCurrency } from './currency';
import { Decimal } from './decimal';
import { DomainError } from './domain-error';
import { toMinor } from './money';

// The vectors are recomputed cases of other billing systems; each file says in "rules" what its kinds mean.
interface VectorCase {
  readonly id: string;
  readonly given: { readonly kind: string };
  readonly expect: unknown;
}

// A check reads given and expect in the shape of its kind; a case of another shape fails the check.
type Check = (given: never, expected: never) => void;

function runAll(file: string, checks: Record<string, Check>): void {
  const { cases } = JSON.parse(readFileSync(join(__dirname, '../vectors', file), 'utf8')) as {
    cases: VectorCase[];
  };

  test(`every kind of case in ${file} is checked`, () => {
    expect([...new Set(cases.map(({ given }) => given.kind))].toSorted()).toEqual(
      Object.keys(checks).toSorted(),
    );
  });

  test.each(cases.map((each) => [each.id, each] as const))(
    '%s',
    (_id, { given, expect: expected }) => {
      expect.hasAssertions();
      checks[given.kind]?.(given as never, expected as never);
    },
  );
}

describe('currencies', () => {
  runAll('currencies.json', {
    exponent: (given: { currency: string }, expected: { exponent: number }) => {
      expect(exponentOf(parseCurrency(given.currency))).toBe(expected.exponent);
    },
    toMinor: (given: { currency: string; amount: string }, expected: { minor: number }) => {
      const currency = parseCurrency(given.currency);
      expect(toMinor(Decimal.parse(given.amount), currency)).toBe(BigInt(expected.minor));
    },
    code: (given: { currency: string }, expected: { accepted: boolean; stored?: string }) => {
      if (expected.accepted) expect(parseCurrency(given.currency)).toBe(expected.stored);
      else expect(() => parseCurrency(given.currency)).toThrow(DomainError);
    },
  });
});

interface Recurring {
  readonly anchor: string;
  readonly interval: BillingInterval;
  readonly intervalCount: number;
}

describe('periods', () => {
  runAll('periods.json', {
    series: (given: Recurring & { count: number }, expected: { boundaries: string[] }) => {
      expect(boundaries(new Date(given.anchor), given, given.count)).toEqual(
        expected.boundaries.map((boundary) => new Date(boundary)),
      );
    },
    next: (given: Recurring & { periodStart: string }, expected: { periodEnd: string }) => {
      const start = new Date(given.periodStart);
      expect(periodContaining(new Date(given.anchor), recurrenceOf(given), start)).toMatchObject({
        start,
        end: new Date(expected.periodEnd),
      });
    },
    containing: (given: Recurring & { at: string }, expected: { start: string; end: string }) => {
      const anchor = new Date(given.anchor);
      expect(periodContaining(anchor, recurrenceOf(given), new Date(given.at))).toMatchObject({
        start: new Date(expected.start),
        end: new Date(expected.end),
      });
    },
    trial: (
      given: { start: string; trialDays: number } & Partial<Recurring & { count: number }>,
      expected: { trialEnd: string; boundaries?: string[] },
    ) => {
      const anchor = trialEnd(new Date(given.start), given.trialDays);
      expect(anchor).toEqual(new Date(expected.trialEnd));
      if (expected.boundaries === undefined) return;
      expect(boundaries(anchor, given as Recurring, given.count ?? 0)).toEqual(
        expected.boundaries.map((boundary) => new Date(boundary)),
      );
    },
    add: (given: { start: string; months: number }, expected: { result: string }) => {
      expect(addMonths(new Date(given.start), given.months)).toEqual(new Date(expected.result));
    },
  });
});

function recurrenceOf({ interval, intervalCount }: Omit<Recurring, 'anchor'>) {
  return { billingInterval: interval, intervalCount };
}

/** The anchor and the ends of the first `count` periods. */
function boundaries(anchor: Date, recurring: Omit<Recurring, 'anchor'>, count: number): Date[] {
  const periods = Array.from({ length: count }, (_, n) =>
    periodAt(anchor, recurrenceOf(recurring), n),
  );
  return [anchor, ...periods.map(({ end }) => end)];
}
