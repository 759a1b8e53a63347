import { testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import type { GetMeterPricesRequest } from '@billing/proto/billing/catalog/v1/catalog';
import { MeterPriceClient } from './meter-prices';

/**
 * The catalog's side of the contract: a product's number is its set; a failed question has no
 * answer in a batch.
 */
function aCatalog() {
  const calls: string[][] = [];
  const find = ({ productId }: GetMeterPricesRequest) => {
    if (productId === 'bad') throw new DomainError('not_found', 'BAD', 'Product not found');
    return { set: Number(productId), prices: [] };
  };
  const peer = {
    getMeterPrices: async (question: GetMeterPricesRequest) => {
      calls.push([question.productId]);
      return find(question);
    },
    getMeterPriceSets: async ({ questions }: { questions: GetMeterPricesRequest[] }) => {
      calls.push(questions.map(({ productId }) => productId));
      const answers = questions.map((one) => ({
        found: one.productId === 'bad' ? undefined : find(one),
      }));
      return { answers };
    },
  };
  const prices = new MeterPriceClient(peer);
  const context = testContext();
  const ask = (productId: string) => prices.find({ productId, at: context.now }, context);
  return { calls, ask };
}

describe('concurrent reads of meter prices', () => {
  test('share one call; a single read has a call of its own', async () => {
    const { calls, ask } = aCatalog();
    const sets = await Promise.all(['1', '2', '1'].map(ask));
    expect(sets.map(({ set }) => set)).toEqual([1, 2, 1]);
    expect(await ask('3')).toEqual({ set: 3, prices: [] });
    expect(calls).toEqual([['1', '2', '1'], ['3']]);
  });

  test('fail individually', async () => {
    const { calls, ask } = aCatalog();
    const answers = await Promise.allSettled(['1', 'bad', '2'].map(ask));
    expect(answers).toMatchObject([
      { value: { set: 1 } },
      { reason: { message: 'Product not found' } },
      { value: { set: 2 } },
    ]);
    expect(calls).toEqual([['1', 'bad', '2'], ['bad']]);
  });
});
