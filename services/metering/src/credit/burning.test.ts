import fc from 'fast-check';
import { Decimal } from '@billing/kernel/decimal';
import {
  burnCredits,
  type BurnableGrant,
  compareGrants,
  coversAt,
  grantBoundaries,
} from './burning';

const at = (hour: number) => new Date(hour * 3_600_000);
const units = (text: string) => Decimal.parse(text);
const none = units('0');

function grant(id: string, given: Partial<BurnableGrant> = {}): BurnableGrant {
  return {
    id,
    available: units('10'),
    priority: 100,
    source: 'PROMOTIONAL',
    effectiveAt: at(0),
    expiresAt: null,
    createdAt: at(0),
    ...given,
  };
}

const used = (hour: number, quantity: string) => ({ at: at(hour), quantity: units(quantity) });

function summaryOf({ uses, overage }: ReturnType<typeof burnCredits>) {
  const burnt = uses.map(({ grantId, quantity }) => [grantId, quantity.toString()]);
  return { uses: Object.fromEntries(burnt) as object, overage: overage.toString() };
}

test('included units are used before credits', () => {
  const burning = burnCredits([grant('a')], [used(1, '3'), used(2, '4')], units('5'));
  expect(summaryOf(burning)).toEqual({ uses: { a: '2' }, overage: '0' });
});

test('a grant covers usage from its start to just before its expiry', () => {
  const limited = grant('a', { effectiveAt: at(2), expiresAt: at(4) });
  const usages = [used(1, '1'), used(2, '1'), used(3, '1'), used(4, '1')];
  expect(summaryOf(burnCredits([limited], usages))).toEqual({ uses: { a: '2' }, overage: '2' });
});

test('returned units undo the most recent use first', () => {
  const grants = [grant('a', { available: units('3') })];
  const usages = [used(1, '5'), used(2, '-4'), used(3, '1')];
  expect(summaryOf(burnCredits(grants, usages))).toEqual({ uses: { a: '2' }, overage: '0' });
});

test('a net return burns no credits', () => {
  expect(summaryOf(burnCredits([grant('a')], [used(1, '-5'), used(2, '3')]))).toEqual({
    uses: {},
    overage: '0',
  });
});

test('grant boundaries lie inside the span, once each', () => {
  const grants = [
    grant('a', { effectiveAt: at(0), expiresAt: at(3) }),
    grant('b', { effectiveAt: at(3), expiresAt: at(9) }),
    grant('c', { effectiveAt: at(2) }),
  ];
  expect(grantBoundaries(grants, { start: at(0), end: at(9) })).toEqual([at(2), at(3)]);
});

const anyGrants = fc
  .array(
    fc.record({
      available: fc.nat({ max: 30 }).map((digits) => Decimal.of(BigInt(digits), 1)),
      priority: fc.nat({ max: 2 }),
      source: fc.constantFrom('PROMOTIONAL' as const, 'PAID' as const),
      from: fc.nat({ max: 6 }),
      hours: fc.option(fc.integer({ min: 1, max: 5 })),
    }),
    { maxLength: 5 },
  )
  .map((all) =>
    all.map(({ from, hours, ...rest }, index) =>
      grant(`g${String(index)}`, {
        ...rest,
        effectiveAt: at(from),
        expiresAt: hours === null ? null : at(from + hours),
      }),
    ),
  );

function anyUsages(min: number) {
  return fc
    .array(fc.record({ hour: fc.nat({ max: 8 }), digits: fc.integer({ min, max: 40 }) }), {
      maxLength: 12,
    })
    .map((all) =>
      all
        .toSorted((a, b) => a.hour - b.hour)
        .map(({ hour, digits }) => ({ at: at(hour), quantity: Decimal.of(BigInt(digits), 1) })),
    );
}

test('included units, credits and overage add up to the usage, and no grant gives more than it has', () => {
  fc.assert(
    fc.property(anyGrants, anyUsages(-30), fc.nat({ max: 50 }), (grants, usages, digits) => {
      const included = Decimal.of(BigInt(digits), 1);
      const { uses, overage } = burnCredits(grants, usages, included);
      const total = usages.reduce((sum, { quantity }) => sum.add(quantity), none);
      const beyond = total.subtract(included);
      const covered = uses.reduce((sum, { quantity }) => sum.add(quantity), overage);
      expect(covered.toString()).toBe((beyond.compare(none) < 0 ? none : beyond).toString());
      for (const { grantId, quantity } of uses) {
        const { available } = grants.find(({ id }) => id === grantId) ?? grant('none');
        expect(quantity.compare(none)).toBe(1);
        expect(quantity.compare(available)).toBeLessThanOrEqual(0);
      }
    }),
    { numRuns: 1000 },
  );
});

test('usage between two boundaries burns the same event by event and as one sum', () => {
  fc.assert(
    fc.property(anyGrants, anyUsages(0), fc.nat({ max: 50 }), (grants, usages, digits) => {
      const included = Decimal.of(BigInt(digits), 1);
      const starts = [at(0), ...grantBoundaries(grants, { start: at(0), end: at(9) })];
      const sums = starts.map((start, index) => ({
        at: start,
        quantity: usages
          .filter((usage) => usage.at >= start && usage.at < (starts[index + 1] ?? at(9)))
          .reduce((sum, { quantity }) => sum.add(quantity), none),
      }));
      const [single, together] = [usages, sums].map((all) => burnCredits(grants, all, included));
      expect(summaryOf(together ?? { uses: [], overage: none })).toEqual(
        summaryOf(single ?? { uses: [], overage: none }),
      );
      expect(grants.every((one) => coversAt(one, one.effectiveAt))).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

/** Burns tenths of a unit one after another, each from the first grant that covers it. */
function burnPlainly(
  grants: readonly BurnableGrant[],
  usages: Parameters<typeof burnCredits>[1],
  included: number,
) {
  const tenthsOf = (quantity: Decimal) => Math.round(Number(quantity.toString()) * 10);
  const left = new Map(grants.map(({ id, available }) => [id, tenthsOf(available)]));
  const burnt: string[] = [];
  const overage = 'overage';
  let sum = 0;
  for (const { at: instant, quantity } of usages) {
    sum += tenthsOf(quantity);
    const wanted = Math.max(sum - included, 0);
    while (burnt.length > wanted) {
      const id = burnt.pop() ?? overage;
      if (id !== overage) left.set(id, (left.get(id) ?? 0) + 1);
    }
    while (burnt.length < wanted) {
      const [first] = grants
        .filter((one) => coversAt(one, instant) && (left.get(one.id) ?? 0) > 0)
        .sort(compareGrants);
      if (first !== undefined) left.set(first.id, (left.get(first.id) ?? 0) - 1);
      burnt.push(first?.id ?? overage);
    }
  }
  const tenths = (id: string) => Decimal.of(BigInt(burnt.filter((one) => one === id).length), 1);
  const uses = [...new Set(burnt)].filter((id) => id !== overage);
  return {
    uses: uses.map((id) => [id, tenths(id).toString()]),
    overage: tenths(overage).toString(),
  };
}

test('credits burn as if each tenth of a unit were burnt or returned alone', () => {
  fc.assert(
    fc.property(anyGrants, anyUsages(-30), fc.nat({ max: 50 }), (grants, usages, tenths) => {
      const { uses, overage } = burnCredits(grants, usages, Decimal.of(BigInt(tenths), 1));
      expect({
        uses: uses.map(({ grantId, quantity }) => [grantId, quantity.toString()]),
        overage: overage.toString(),
      }).toEqual(burnPlainly(grants, usages, tenths));
    }),
    { numRuns: 1000 },
  );
});

test('the terms of each grant are read a few times only, with any number of usages', () => {
  let reads = 0;
  const count = 300;
  const grants = Array.from({ length: count }, (_, index) => {
    const one = grant(`g${String(index)}`, { expiresAt: at(index + 1) });
    return Object.defineProperty(one, 'effectiveAt', {
      get: () => {
        reads += 1;
        return at(index);
      },
    });
  });
  const usages = grants.map((_, index) => used(index, '1'));
  expect(burnCredits(grants, usages).uses).toHaveLength(count);
  expect(reads).toBeLessThanOrEqual(20 * count);
});
