import { MeterPrice, MeterPricingType, Tier } from '@billing/proto/billing/catalog/v1/catalog';
import { Meter } from '@billing/proto/billing/metering/v1/metering';
import { usageRates, usageTerms } from './usage-terms';
import { english } from '@billing/documents/testing/english';

const meter = Meter.fromPartial({ id: 'id', name: 'Storage', unit: 'GB' });
const monthly = { billingInterval: 'MONTHLY', intervalCount: 1 } as const;

function aPrice(change: Partial<MeterPrice> = {}): MeterPrice {
  return MeterPrice.fromPartial({
    meterId: 'id',
    type: MeterPricingType.METER_PRICING_TYPE_PER_UNIT,
    unitAmount: '0.25',
    includedUnits: '0',
    ...change,
  });
}

function inTiers(...tiers: Partial<Tier>[]): MeterPrice {
  const type = MeterPricingType.METER_PRICING_TYPE_TIERED;
  return aPrice({ type, unitAmount: undefined, tiers: tiers.map(tierOf) });
}

function tierOf(change: Partial<Tier>): Tier {
  return Tier.fromPartial(change);
}

const packages = { type: MeterPricingType.METER_PRICING_TYPE_PACKAGE, packageSize: '1000' };

test.each([
  [aPrice(), '$0.0025 each'],
  [aPrice({ includedUnits: '1000' }), '1,000 included every month, then $0.0025 each'],
  [aPrice({ ...packages, unitAmount: '500' }), '$5.00 per 1,000, rounded up'],
  [
    inTiers({ upTo: '100', unitAmount: '10' }, { unitAmount: '1' }),
    'from $0.01 to $0.10 each, depending on the volume',
  ],
  [
    inTiers({ upTo: '100', unitAmount: '5' }, { unitAmount: '5', flatAmount: '1000' }),
    '$0.05 each, plus up to $10.00 per tier',
  ],
  [aPrice({ minimumAmount: 500n }), '$0.0025 each, at least $5.00 every month'],
  [
    aPrice({ minimumAmount: 500n, maximumAmount: 9900n }),
    '$0.0025 each, at least $5.00 and at most $99.00 every month',
  ],
])('%#: usage costs %s', (price, text) => {
  const texts = usageRates([price], [meter]).map((rate) =>
    usageTerms(rate, { currency: 'USD', recurrence: monthly }),
  );
  expect(english(texts)).toEqual([`Storage (GB): ${text}`]);
});

test('a meter without a unit is described by its name only', () => {
  const nameless = Meter.fromPartial({ id: 'id', name: 'Calls' });
  const [rate] = usageRates([aPrice()], [nameless]);
  expect(english(usageTerms(rate!, { currency: 'JPY', recurrence: monthly }))).toBe(
    'Calls: ¥0.25 each',
  );
});

test.each([
  ['a rate of nothing', aPrice({ unitAmount: '0' }), [meter]],
  ['a maximum of nothing', aPrice({ maximumAmount: 0n }), [meter]],
  ['tiers that cost nothing', inTiers({ unitAmount: '0', flatAmount: '0' }), [meter]],
  ['a meter that is deleted', aPrice(), []],
])('%s never charges anything', (_case, price, meters) => {
  expect(usageRates([price], meters)).toEqual([]);
});

test('the minimum of a deleted meter is due, too', () => {
  const price = aPrice({ minimumAmount: 500n });
  expect(english(usageRates([price], []))).toMatchObject([{ name: 'Usage', unit: undefined }]);
});
