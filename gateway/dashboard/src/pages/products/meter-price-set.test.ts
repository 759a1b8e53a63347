import type { MeterPrice } from '../../resources/product';
import {
  newMeterPrice,
  typedMeterPrice,
  withMeterPrice,
  withoutMeterPrice,
} from './meter-price-set';
import { tierField, type TierRow } from './tier-values';

const stored = {
  id: 'p',
  productId: 'q',
  createdAt: '2026-11-29T10:00:00.000Z',
  meterId: 'm',
  type: 'PER_UNIT',
  unitAmount: '0.5',
  includedUnits: '1000',
  packageSize: null,
  minimumAmount: 500,
  maximumAmount: 5_000,
  tiers: null,
  metadata: { team: 'research' },
} as unknown as MeterPrice;

const tiers = [
  { upTo: '100', unitAmount: '0.5', flatAmount: '250' },
  { upTo: null, unitAmount: '0.25', flatAmount: '125' },
];

test.each([
  ['per unit', stored],
  ['per package', { ...stored, type: 'PACKAGE' as const, packageSize: '100' }],
  [
    'of tiers, without bounds',
    {
      ...{ ...stored, type: 'VOLUME' as const, unitAmount: null, tiers },
      ...{ includedUnits: '0', minimumAmount: null, maximumAmount: null },
    },
  ],
])('a price %s that is shown for editing is sent unchanged', (_name, price) => {
  const { rows, ...typed } = typedMeterPrice(price, 'USD');
  const fields = new Map<string, string>([
    ...Object.entries(typed),
    ['meterId', price.meterId],
    ...(rows ?? []).flatMap((row, index) =>
      Object.entries(row).map(
        ([name, value]) => [tierField(index, name as keyof TierRow), value as string] as const,
      ),
    ),
  ]);
  const values = {
    text: (name: string) => fields.get(name) ?? '',
    optional: (name: string) => fields.get(name) || undefined,
    has: (name: string) => fields.has(name),
  };
  const sent = { includedUnits: '0', ...definedOf(newMeterPrice(values, 'USD')) };
  const [kept] = withoutMeterPrice([price], { meterId: 'another' });
  expect({ ...sent, metadata: price.metadata }).toEqual(kept);
});

test('a changed price keeps its place in the set, and a new one comes last', () => {
  const prices = [stored, { ...stored, meterId: 'n' }];
  const idsOf = (meterId: string) =>
    withMeterPrice(prices, { meterId }).map((price) => (price as MeterPrice).meterId);
  expect(idsOf('m')).toEqual(['m', 'n']);
  expect(idsOf('o')).toEqual(['m', 'n', 'o']);
});

function definedOf(price: object): object {
  return Object.fromEntries(Object.entries(price).filter(([, value]) => value !== undefined));
}
