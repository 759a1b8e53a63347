import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from '@billing/kernel/decimal';
import { plainDecimal } from '@billing/kernel/plain-decimal';
import { burnCredits, compareGrants, type CreditSource } from './credit/burning';
import { type Aggregation, quantityOf, totalOf } from './meter/aggregation';

// The vectors are recomputed cases of other billing systems; the "rules" of each file define its
// kinds.
interface VectorCase {
  readonly id: string;
  readonly given: { readonly kind?: string };
  readonly expect: unknown;
}

interface VectorEvent {
  readonly eventId: string;
  readonly at: string;
  readonly value: string | null;
}

interface VectorGrant {
  readonly id: string;
  readonly amount: string;
  readonly priority: number | null;
  readonly effectiveAt: string;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly source?: CreditSource;
}

function casesOf(file: string): VectorCase[] {
  const text = readFileSync(join(__dirname, '../vectors', file), 'utf8');
  return (JSON.parse(text) as { cases: VectorCase[] }).cases;
}

describe('aggregation vectors', () => {
  // Quantities are billed unrounded: this service never rounds an aggregate.
  const [rounded, cases] = split(
    casesOf('aggregations.json'),
    ({ given }) => given.kind === 'round',
  );

  test('every case is checked except those of the kind "round"', () => {
    expect(rounded.map(({ id }) => id)).toEqual([
      'lago-round-None',
      'lago-round--2',
      'lago-ceil-None',
      'lago-ceil--2',
      'lago-floor-None',
      'lago-floor--2',
    ]);
    expect(cases).toHaveLength(41);
    expect(cases.filter(({ given }) => given.kind !== undefined)).toEqual([]);
  });

  test.each(cases.map((each) => [each.id, each] as const))('%s', (_id, each) => {
    const given = each.given as {
      aggregation: Aggregation;
      events: VectorEvent[];
      from?: string;
      to?: string;
    };
    const { value } = each.expect as { value: string };
    const total = totalOf(given.aggregation, given.events.flatMap(measuredIn(given)));
    expect(quantityOf(given.aggregation, total).toString()).toBe(value);
  });

  // Ingest keeps the first event of each id; reads select a window.
  function measuredIn({ events, from, to }: { events: VectorEvent[]; from?: string; to?: string }) {
    return ({ eventId: id, at: text, value }: VectorEvent, arrival: number) => {
      const at = new Date(text);
      const isFirst = events.findIndex(({ eventId }) => eventId === id) === arrival;
      const isInside =
        (from === undefined || at >= new Date(from)) && (to === undefined || at < new Date(to));
      if (!isFirst || !isInside) return [];
      const quantity = value === null ? null : plainDecimal(value);
      return [{ id, at, arrival, quantity, uniqueValue: value }];
    };
  }
});

describe('credit vectors', () => {
  // Grants cannot be voided here.
  const [voided, cases] = split(casesOf('credits.json'), ({ given }) =>
    JSON.stringify(given).includes('"voidedAt"'),
  );

  test('every case is checked except those with voidedAt', () => {
    expect(voided.map(({ id }) => id)).toEqual(['openmeter-voided-midway']);
    expect(cases).toHaveLength(21);
    const kinds = new Set(cases.map(({ given }) => given.kind));
    expect([...kinds].toSorted()).toEqual(['apply', 'order', 'run']);
  });

  test.each(cases.map((each) => [each.id, each] as const))('%s', (_id, each) => {
    const given = each.given as {
      kind: string;
      grants: VectorGrant[];
      at: string;
      amount: string;
      usages: { at: string; amount: string }[];
    };
    const grants = given.grants.map(grantOf);
    if (given.kind === 'order') {
      const { order } = each.expect as { order: string[] };
      expect(grants.toSorted(compareGrants).map(({ id }) => id)).toEqual(order);
      return;
    }
    const usages = given.kind === 'apply' ? [given] : given.usages;
    const { uses, overage } = burnCredits(
      grants,
      usages.map(({ at, amount }) => ({ at: new Date(at), quantity: Decimal.parse(amount) })),
    );
    const applied = uses.map(({ grantId, quantity }) => ({
      grant: grantId,
      amount: quantity.toString(),
    }));
    expect({ applied, overage: overage.toString() }).toEqual(each.expect);
  });
});

function grantOf({ id, amount, priority, effectiveAt, expiresAt, createdAt, source }: VectorGrant) {
  return {
    id,
    available: Decimal.parse(amount),
    priority: priority ?? 100,
    source: source ?? ('PROMOTIONAL' as const),
    effectiveAt: new Date(effectiveAt),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    createdAt: new Date(createdAt),
  };
}

function split<T>(all: readonly T[], isLeftOut: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isLeftOut), all.filter((one) => !isLeftOut(one))];
}
