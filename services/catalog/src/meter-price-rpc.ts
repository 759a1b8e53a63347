import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { type AsyncHandlers, messageBytesMax } from '@billing/chassis/rpc';
import { checkMetadata, expectedVersionOf } from '@billing/chassis/request-fields';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import {
  type CatalogServiceServer,
  type GetMeterPricesRequest,
  GetMeterPricesResponse,
  type MeterPriceSetAnswer,
} from '@billing/proto/billing/catalog/v1/catalog';
import type { MeterPriceSet } from './meter-price';
import type { MeterPriceSetStore } from './meter-price-set-store';
import { fetchKnownMeterIds, type Peers } from './peers';
import { fromProtoMeterPrices, toProtoMeterPrice } from './price-message';
import { type Product, setMeterPrices } from './product';
import { toProtoProduct } from './product-rpc';

const questionsMax = 100;
// Leaves room for the rest of the message.
const answersBytesMax = messageBytesMax / 2;

export interface MeterPriceDependencies {
  readonly products: AggregateCollection<Product>;
  readonly meterPriceSetsOf: (environmentId: string) => MeterPriceSetStore;
  readonly peers: Peers;
}

type MeterPriceCalls = Pick<
  AsyncHandlers<CatalogServiceServer>,
  'setMeterPrices' | 'getMeterPrices' | 'getMeterPriceSets'
>;

/** RPCs for the meter prices of products. */
export function meterPriceCalls({
  products,
  meterPriceSetsOf,
  peers,
}: MeterPriceDependencies): MeterPriceCalls {
  const getMeterPrices = async (
    { productId, ...wanted }: GetMeterPricesRequest,
    context: CallContext,
  ) => {
    const { state } = await products.within(context).get(productId);
    const replaced = meterPriceSetsOf(context.tenant.environmentId);
    const { number, prices } = await findMeterPriceSet(state, wanted, replaced);
    return {
      set: number,
      prices: prices.map((price) => toProtoMeterPrice(price, productId)),
      taxCategory: state.taxCategory === STANDARD_CATEGORY ? undefined : state.taxCategory,
    };
  };
  return {
    setMeterPrices: async (request, context) => {
      const { productId } = request;
      const { environmentId } = context.tenant;
      const store = products.within(context);
      // Reports an unknown product before unknown meters.
      await store.get(productId);
      const prices = fromProtoMeterPrices(request.prices);
      const meterIds = prices.map(({ meterId }) => meterId);
      const knownMeterIds = await fetchKnownMeterIds(peers, meterIds, context);
      const stored = await store.mutate(
        productId,
        (product, now) =>
          setMeterPrices(product, prices, {
            now,
            idOf: (set, index) => derivedId(environmentId, 'meterPrice', productId, set, index),
            knownMeterIds,
            metadataProblemsOf: checkMetadata,
          }),
        expectedVersionOf(request),
      );
      return { product: toProtoProduct(stored) };
    },

    getMeterPrices,

    getMeterPriceSets: async ({ questions }, context) => {
      checkMeterPriceQuestions(questions);
      const found = questions.map((question) => getMeterPrices(question, context));
      return { answers: toProtoMeterPriceSetAnswers(await Promise.allSettled(found)) };
    },
  };
}

/** Finds a product's set by number, or the set that was in force at an instant. */
async function findMeterPriceSet(
  product: Product,
  { at, set: number }: Pick<GetMeterPricesRequest, 'at' | 'set'>,
  replaced: MeterPriceSetStore,
): Promise<MeterPriceSet> {
  const { meterPrices: current } = product;
  if (number !== undefined) {
    if (number === current.number) return current;
    const stored = await replaced.find(product.id, number);
    if (stored === undefined) throw notStoredYet();
    return stored.set;
  }
  if (at === undefined)
    throw new DomainError('invalid_input', 'NO_INSTANT', 'Either at or set is required');
  if (current.since === null || current.since <= at) return current;
  const stored = await replaced.findNewestAt(product.id, at);
  if (stored === undefined || stored.replacedAt <= at) throw notStoredYet();
  return stored.set;
}

/** Throws if a call has more questions than the limit. */
function checkMeterPriceQuestions({ length }: readonly GetMeterPricesRequest[]): void {
  if (length >= 1 && length <= questionsMax) return;
  throw invalidInput({ questions: [`Must be 1 to ${String(questionsMax)}`] });
}

/** Puts as many answers as fit into one message; the rest have to be requested one by one. */
export function toProtoMeterPriceSetAnswers(
  outcomes: readonly PromiseSettledResult<GetMeterPricesResponse>[],
): MeterPriceSetAnswer[] {
  let bytes = 0;
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') return { found: undefined };
    const { value: found } = outcome;
    if (found.prices.length > 0) bytes += GetMeterPricesResponse.encode(found).finish().length;
    return { found: bytes > answersBytesMax ? undefined : found };
  });
}

// The replacing write has ordered the set to be stored; the command has not run yet.
function notStoredYet(): DomainError {
  return new DomainError('unavailable', 'METER_PRICES_NOT_KEPT_YET', 'Service unavailable');
}
