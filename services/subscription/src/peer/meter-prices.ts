import { BatchClient } from '@billing/chassis/batch-client';
import type { CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import type {
  CatalogServiceServer,
  GetMeterPricesRequest,
  GetMeterPricesResponse,
} from '@billing/proto/billing/catalog/v1/catalog';
/**
 * Selects a set of a product's meter prices: the one in force at an instant, or the one with a
 * number.
 */
export type MeterPriceQuestion = Pick<GetMeterPricesRequest, 'productId' | 'at' | 'set'>;

/** Reads meter prices; concurrent reads share one call. */
export class MeterPriceClient {
  private readonly questions: BatchClient<GetMeterPricesRequest, GetMeterPricesResponse>;

  constructor(catalog: Pick<Peer<CatalogServiceServer>, 'getMeterPrices' | 'getMeterPriceSets'>) {
    this.questions = new BatchClient({
      one: (question, context) => catalog.getMeterPrices(question, context),
      many: async (questions, context) => {
        const { answers } = await catalog.getMeterPriceSets({ questions }, context);
        return answers.map(({ found }) => found);
      },
    });
  }

  find(question: MeterPriceQuestion, context: CallContext): Promise<GetMeterPricesResponse> {
    return this.questions.ask(question, context);
  }
}
