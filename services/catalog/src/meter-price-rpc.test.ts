import { MeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import { messageBytesMax } from '@billing/chassis/rpc';
import { toProtoMeterPriceSetAnswers } from './meter-price-rpc';

const priced = (bytes: number) => ({
  status: 'fulfilled' as const,
  value: { set: 1, prices: [MeterPrice.fromJSON({ unitAmount: '9'.repeat(bytes) })] },
});
const empty = { status: 'fulfilled' as const, value: { set: 0, prices: [] } };

test('answers beyond the message size limit are left out, to be requested one by one', () => {
  const large = priced(messageBytesMax / 5);
  const answers = toProtoMeterPriceSetAnswers([empty, large, large, large, large]);
  expect(answers.map(({ found }) => found?.set)).toEqual([0, 1, 1, undefined, undefined]);
});
