import { checkMetadata } from '@billing/chassis/request-fields';
import { messageBytesMax } from '@billing/chassis/rpc';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import {
  type GetMeterPricesRequest,
  GetMeterPricesResponse,
  type MeterPrice as ProtoMeterPrice,
  type MeterPriceSetAnswer,
} from '@billing/proto/billing/catalog/v1/catalog';
import { meterPricingTypes } from '@billing/proto/values/catalog';
import type { MeterPriceInput } from '@billing/kernel/input/meter-price';
import type { MeterPrice, MeterPriceSet } from './meter-price';
import type { MeterPriceSetStore } from './meter-price-set-store';
import type { Product } from './product';
import { fromProtoTiers, toProtoTiers } from './price-rpc';

const questionsMax = 100;
// Leaves room for the rest of the message.
const answersBytesMax = messageBytesMax / 2;

/** Finds a product's set by number, or the set that was in force at an instant. */
export async function findMeterPriceSet(
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

export function fromProtoMeterPrices(prices: readonly ProtoMeterPrice[]): MeterPriceInput[] {
  return prices.map((price) => ({
    ...price,
    type: meterPricingTypes.sentName(price.type),
    tiers: fromProtoTiers(price.tiers),
  }));
}

export function toProtoMeterPrice(price: MeterPrice, productId: string): ProtoMeterPrice {
  return {
    id: price.id,
    productId,
    meterId: price.meterId,
    type: meterPricingTypes.valueOf(price.type),
    unitAmount: price.unitAmount ?? undefined,
    tiers: toProtoTiers(price.tiers),
    includedUnits: price.includedUnits,
    packageSize: price.packageSize ?? undefined,
    minimumAmount: price.minimumAmount ?? undefined,
    maximumAmount: price.maximumAmount ?? undefined,
    metadata: price.metadata,
    createdAt: price.createdAt,
  };
}

/** Throws if a call has more questions than the limit. */
export function checkMeterPriceQuestions({ length }: readonly GetMeterPricesRequest[]): void {
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

export const meterPriceMetadataProblems = (metadata: MeterPriceInput['metadata']) =>
  checkMetadata(metadata);

// The replacing write has ordered the set to be stored; the command has not run yet.
function notStoredYet(): DomainError {
  return new DomainError('unavailable', 'METER_PRICES_NOT_KEPT_YET', 'Service unavailable');
}
