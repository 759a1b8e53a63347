import { DomainError } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import type { MeterPriceInput } from '@billing/kernel/input/meter-price';
import { type ProductFields, productProblems } from '@billing/kernel/input/product';
import type { TierInput } from '@billing/kernel/tiers';
import { type Command, type Transition, unchanged } from '@billing/kernel/transition';
import {
  type MeterPriceFacts,
  type MeterPriceIdOf,
  meterPricesAfter,
  meterPricesProblems,
  type MeterPriceSet,
  noMeterPrices,
  type ReplacedMeterPrices,
} from './meter-price';
import {
  firstPrice,
  type Price,
  priceAfter,
  type PriceChange,
  type PriceIdOf,
  priceTerms,
  type SupersededPrice,
} from './price';

/** A sellable item with its current price. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Whether new checkouts and subscriptions may use it. */
  readonly active: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The caller's own name for it, unique in the environment. */
  readonly lookupKey: string | null;
  readonly price: Price;
  /** The set of meter prices in force. */
  readonly meterPrices: MeterPriceSet;
}

/** A product as it was sent. */
export interface ProductInput extends ProductFields {
  /** Absent: true. */
  readonly active?: boolean | undefined;
  /** Absent: empty. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What is to change about a product: a field that is absent stays, one that is null is cleared. */
export interface ProductChanges {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly active?: boolean | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly lookupKey?: string | null;
  readonly amount?: bigint | null;
  readonly tiers?: readonly TierInput[] | null;
}

/** What a decision about a product is given beside its input. */
export interface ProductDecision {
  readonly now: Date;
  readonly priceIdOf: PriceIdOf;
  /** Metadata is checked alike by all services, outside their rules; its problems are reported with the others. */
  readonly metadataProblems: readonly string[];
}

/** Keeps a price version that the product itself no longer holds. */
export interface KeepPrice extends Command {
  readonly type: 'keepPrice';
  readonly payload: SupersededPrice & Record<string, unknown>;
}

/** Keeps a set of meter prices that the product itself no longer holds. */
export interface KeepMeterPrices extends Command {
  readonly type: 'keepMeterPrices';
  readonly payload: ReplacedMeterPrices & Record<string, unknown>;
}

export type ProductCommand = KeepPrice | KeepMeterPrices;
export type ProductTransition = Transition<Product, never, ProductCommand>;

/** A new product with its first price version. Refuses the input once, for everything that is wrong with it. */
export function createProduct(
  input: ProductInput,
  { id, ...decision }: ProductDecision & { readonly id: string },
): Product {
  checkInput(input, decision);
  return {
    id,
    ...descriptionOf(input),
    price: firstPrice(priceChange(input, decision)),
    meterPrices: noMeterPrices,
  };
}

/**
 * The product after a change: what a creation with its fields would make of them, so that a cleared field is back at its default and
 * nothing can be changed to what could not have been created. Other terms make a new price version, and the one that they replace is
 * kept elsewhere. The very same product where nothing differs.
 */
export function changeProduct(
  product: Product,
  changes: ProductChanges,
  decision: ProductDecision,
): ProductTransition {
  refuseProblems({ active: changes.active === null ? ['Required'] : [] });
  const input = inputAfter(product, changes);
  checkInput(input, decision);
  const price = priceAfter(product.price, priceChange(input, decision));
  const { id, meterPrices } = product;
  const changed = { id, ...descriptionOf(input), price, meterPrices };
  if (isSameData(product, changed)) return unchanged(product);
  if (price === product.price) return { state: changed, events: [], commands: [] };
  const payload = { productId: product.id, price: product.price, supersededAt: decision.now };
  return { state: changed, events: [], commands: [{ type: 'keepPrice', payload }] };
}

/** What a decision about the meter prices is given beside its input. */
export interface MeterPriceDecision extends MeterPriceFacts {
  readonly now: Date;
  readonly idOf: MeterPriceIdOf;
}

/**
 * The product with another set of meter prices; the one that it replaces is kept elsewhere for the periods that began with it. The very
 * same product where nothing differs.
 */
export function setMeterPrices(
  product: Product,
  inputs: readonly MeterPriceInput[],
  { now, idOf, ...facts }: MeterPriceDecision,
): ProductTransition {
  refuseProblems({ prices: meterPricesProblems(inputs, facts) });
  const set = product.meterPrices;
  const meterPrices = meterPricesAfter(set, inputs, { now, idOf });
  if (meterPrices === set) return unchanged(product);
  const payload = { productId: product.id, set, replacedAt: now };
  return {
    state: { ...product, meterPrices },
    events: [],
    commands: [{ type: 'keepMeterPrices', payload }],
  };
}

/** Another product of the environment has the lookup key. */
export function lookupKeyTaken(): DomainError {
  return new DomainError(
    'already_exists',
    'LOOKUP_KEY_TAKEN',
    'Product with this lookupKey already exists',
  );
}

function checkInput(
  input: ProductInput,
  { metadataProblems }: Pick<ProductDecision, 'metadataProblems'>,
): void {
  refuseProblems({ ...productProblems(input), metadata: metadataProblems });
}

/** All of a product but its id and prices. */
function descriptionOf(input: ProductInput): Omit<Product, 'id' | 'price' | 'meterPrices'> {
  return {
    name: input.name,
    description: input.description ?? null,
    active: input.active ?? true,
    metadata: input.metadata ?? {},
    lookupKey: input.lookupKey ?? null,
  };
}

function priceChange(input: ProductInput, { now, priceIdOf }: ProductDecision): PriceChange {
  const { metadata, lookupKey } = descriptionOf(input);
  return {
    terms: priceTerms(input),
    occasion: { metadata, lookupKey, createdAt: now },
    priceIdOf,
  };
}

function inputAfter(product: Product, changes: ProductChanges): ProductInput {
  const { price, ...description } = product;
  const { amount, tiers } = price;
  const after = { ...description, amount, tiers, ...changes };
  return {
    ...price,
    trialDays: price.trialDays ?? undefined,
    name: after.name ?? '',
    description: after.description ?? undefined,
    active: after.active ?? undefined,
    metadata: after.metadata ?? undefined,
    lookupKey: after.lookupKey ?? undefined,
    amount: after.amount ?? undefined,
    tiers: after.tiers ?? undefined,
  };
}
