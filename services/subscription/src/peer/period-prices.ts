import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { MeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import { fromProtoMeterPrice } from '@billing/proto/values/catalog';
import { periodOf } from '../subscription/billing-cycle';
import { type TaxCategories, taxCategoriesOf } from '../subscription/command';
import { mainItem, type Subscription } from '../subscription/subscription';
import type { PeriodSets } from '../subscription/usage-billing';
import {
  type MeteredItem,
  movedSet,
  type StretchItem,
  stretchesOf,
  type UsageStretch,
} from '../subscription/usage-stretch';
import type { PricesFrom } from '../usage/priced-meter';
import type { MeterRate } from '../usage/usage-line';
import { pinnedSets, ratesAt } from '../usage/usage-period';
import type { MeterPriceQuestion } from './meter-prices';
import type { Peers } from './peers';

/** A set of a product's meter prices in the catalog's form. */
interface MeterPrices {
  readonly set: number;
  readonly prices: readonly MeterPrice[];
  /** Present tax category of the product; undefined: `standard`, or the set was not read. */
  readonly taxCategory?: string | undefined;
}

/** A meter price, and the item whose product has it. */
export interface ItemMeterPrice {
  readonly item: MeteredItem;
  readonly price: MeterPrice;
}

/** The meter prices of a period. */
export interface PeriodPrices {
  readonly sets: PeriodSets;
  /**
   * Oldest first, at least one. Each has its prices in the order of the items and of their meter
   * prices. A meter that several products price counts for the first of them.
   */
  readonly stretches: readonly PricesFrom<ItemMeterPrice>[];
  /** Present tax categories; `standard` where the set was not read. */
  readonly taxCategories: TaxCategories;
}

type ItemPrices = MeterPrices & { readonly item: MeteredItem };

const noMeterPrices: MeterPrices = { set: 0, prices: [] };

/** Reads the meter prices of a billed period; null: the trial. */
export async function meterPricesOf(
  stored: Stored<Subscription>,
  periodIndex: number | null,
  context: CallContext,
  peers: Pick<Peers, 'meterPrices'>,
): Promise<PeriodPrices> {
  const { state } = stored;
  const stretches = periodIndex === null ? [] : stretchesOf(state, periodIndex);
  if (stretches.length > 0) return stretchPrices(stretches, context, peers);
  const found = await Promise.all(
    state.items.map(async (item) => {
      const question = questionOf(item, { stored, periodIndex });
      return { item, ...(await findPrices(question, context, peers)) };
    }),
  );
  const [main, ...others] = found;
  const { set, taxCategory } = main ?? noMeterPrices;
  const otherSets = others.map(({ item: { productId }, set: other }) => ({
    productId,
    set: other,
  }));
  return {
    sets: others.length === 0 ? { set } : { set, others: otherSets },
    stretches: [{ start: null, prices: pricesOf(found) }],
    taxCategories: taxCategoriesOf(
      taxCategory ?? null,
      others.map(({ item, taxCategory: category }) => [item.productId, category ?? null]),
    ),
  };
}

/** Reads the meter prices of a period whose products are not those of today. */
async function stretchPrices(
  stretches: readonly UsageStretch[],
  context: CallContext,
  peers: Pick<Peers, 'meterPrices'>,
): Promise<PeriodPrices> {
  const read = async (item: StretchItem) => {
    const { productId, set, pricedAt: at } = item;
    const question = set === 0 ? undefined : { productId, set, at };
    return { item, ...(await findPrices(question, context, peers)) };
  };
  const found = await Promise.all(
    stretches.map(async ({ start, items }) => ({
      start,
      prices: pricesOf(await Promise.all(items.map(read))),
    })),
  );
  return { sets: { set: movedSet }, stretches: found, taxCategories: taxCategoriesOf(null, []) };
}

/** Combines the meter prices of items, the main item first. */
function pricesOf(found: readonly ItemPrices[]): ItemMeterPrice[] {
  const all = found.flatMap(({ item, prices }) => prices.map((price) => ({ item, price })));
  return all.filter(
    ({ price: { meterId } }, index) =>
      all.findIndex(({ price }) => price.meterId === meterId) === index,
  );
}

async function findPrices(
  question: MeterPriceQuestion | undefined,
  context: CallContext,
  { meterPrices }: Pick<Peers, 'meterPrices'>,
): Promise<MeterPrices> {
  return question === undefined ? noMeterPrices : meterPrices.find(question, context);
}

/** Question for the meter prices of an item of today; undefined: it has none in the period. */
function questionOf(
  item: MeteredItem,
  {
    stored: { state, createdAt },
    periodIndex,
  }: { readonly stored: Stored<Subscription>; readonly periodIndex: number | null },
): MeterPriceQuestion | undefined {
  const { productId } = item;
  if (periodIndex === null) return { productId, at: ratesAt(state.startAt, { createdAt }) };
  const set = pinnedSetOf(state, periodIndex, item);
  if (set === noMeterPrices.set) return undefined;
  if (set !== undefined) return { productId, at: undefined, set };
  return { productId, at: ratesAt(periodOf(state, periodIndex).start, { createdAt }) };
}

// A product that the sets of a period do not name was not there.
function pinnedSetOf(
  state: Subscription,
  periodIndex: number,
  { id, productId }: MeteredItem,
): number | undefined {
  const pinned = pinnedSets(state, periodIndex);
  if (pinned === undefined || id === mainItem(state).id) return pinned?.set;
  return pinned.others?.find((other) => other.productId === productId)?.set ?? noMeterPrices.set;
}

/** Throws an Error for a kind of price unknown to this version: a guessed amount would be wrong. */
export function fromProtoMeterRate(price: MeterPrice): MeterRate {
  return {
    id: price.id,
    meterId: price.meterId,
    ...fromProtoMeterPrice(price),
  };
}
