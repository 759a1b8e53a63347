import { curveOfMeterPrice, curveOfProduct } from './price-curve';

const tiers = [
  { upTo: '10', unitAmount: '100', flatAmount: '0' },
  { upTo: null, unitAmount: '50', flatAmount: '0' },
];
const totals = (points: ReturnType<typeof curveOfProduct>) =>
  new Map(points.map(({ quantity, total }) => [quantity, total]));

test('graduated tiers bend at their bound', () => {
  const points = totals(curveOfProduct({ type: 'TIERED', amount: 0, tiers }));
  expect(points.get(1)).toBe(100);
  expect(points.get(10)).toBe(1_000);
  expect(points.get(11)).toBe(1_050);
});

test('volume tiers jump at their bound', () => {
  const points = totals(curveOfProduct({ type: 'VOLUME', amount: 0, tiers }));
  expect(points.get(10)).toBe(1_000);
  expect(points.get(11)).toBe(550);
});

test('a price per unit is a straight line', () => {
  const points = curveOfProduct({ type: 'PER_UNIT', amount: 300, tiers: null });
  expect(points[0]).toEqual({ quantity: 1, total: 300, perUnit: 300 });
  expect(new Set(points.map(({ perUnit }) => perUnit))).toEqual(new Set([300]));
});

test('included usage is free, and the price never exceeds its maximum', () => {
  const price = {
    id: 'a',
    productId: 'b',
    meterId: 'c',
    type: 'PER_UNIT',
    unitAmount: '10',
    tiers: null,
    includedUnits: '100',
    packageSize: null,
    minimumAmount: null,
    maximumAmount: 300,
    metadata: {},
    createdAt: '2026-01-01T00:00:00.000Z',
  } as const;
  const points = totals(curveOfMeterPrice(price));
  expect(points.get(100)).toBe(0);
  expect(points.get(101)).toBe(10);
  expect(points.get(150)).toBe(300);
});
