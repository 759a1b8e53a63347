import type { Stored } from '@billing/chassis/aggregate';
import { BatchClient } from '@billing/chassis/batch-client';
import type { CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import type {
  CatalogServiceServer,
  GetMeterPricesRequest,
  GetMeterPricesResponse,
  MeterPrice,
} from '@billing/proto/billing/catalog/v1/catalog';
import type { Peers } from './peers';
import { periodOf, type Subscription } from './subscription';
import { pinnedSet, ratesAt } from './usage-period';

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

/** A set of meter prices in the catalog's form. */
export interface MeterPrices {
  readonly set: number;
  readonly prices: readonly MeterPrice[];
}

const noMeterPrices: MeterPrices = { set: 0, prices: [] };

/** Reads the meter prices of a billed period; null: the trial. */
export async function meterPricesOf(
  { state, createdAt }: Stored<Subscription>,
  periodIndex: number | null,
  context: CallContext,
  { meterPrices }: Peers,
): Promise<MeterPrices> {
  const { productId } = state;
  if (periodIndex === null) {
    return meterPrices.find({ productId, at: ratesAt(state.startAt, { createdAt }) }, context);
  }
  const set = pinnedSet(state, periodIndex);
  if (set === noMeterPrices.set) return noMeterPrices;
  if (set !== undefined) return meterPrices.find({ productId, at: undefined, set }, context);
  const at = ratesAt(periodOf(state, periodIndex).start, { createdAt });
  return meterPrices.find({ productId, at }, context);
}
