import { DomainError } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import type { MeterPriceInput } from '@billing/kernel/input/meter-price';
import { type ProductFields, productProblems } from '@billing/kernel/input/product';
import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
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
  /** True if new checkouts and subscriptions may use it. */
  readonly active: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The caller's own key, unique in the environment. */
  readonly lookupKey: string | null;
  /** Decides the tax rate. */
  readonly taxCategory: string;
  readonly price: Price;
  /** The set of meter prices in force. */
  readonly meterPrices: MeterPriceSet;
}

/** Product fields as sent by the caller. */
export interface ProductInput extends ProductFields {
  /** Absent: true. */
  readonly active?: boolean | undefined;
  /** Absent: empty. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes to a product: an absent field stays, null clears it. */
export interface ProductChanges {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly active?: boolean | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly lookupKey?: string | null;
  readonly taxCategory?: string | null;
  readonly amount?: bigint | null;
  readonly tiers?: readonly TierInput[] | null;
}

/** Inputs of a decision other than the product fields. */
export interface ProductDecision {
  readonly now: Date;
  readonly priceIdOf: PriceIdOf;
  /**
   * Results of the metadata check that all services share; reported together with the other
   * problems.
   */
  readonly metadataProblems: readonly string[];
}

/** Stores a price version that the product no longer holds. */
export interface StoreSupersededPrice extends Command {
  readonly type: 'keepPrice';
  readonly payload: SupersededPrice & Record<string, unknown>;
}

/** Stores a set of meter prices that the product no longer holds. */
export interface StoreReplacedMeterPrices extends Command {
  readonly type: 'keepMeterPrices';
  readonly payload: ReplacedMeterPrices & Record<string, unknown>;
}

export type ProductCommand = StoreSupersededPrice | StoreReplacedMeterPrices;
export type ProductTransition = Transition<Product, never, ProductCommand>;

/** Creates a product with its first price version. Reports all invalid fields in one error. */
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
 * Applies changes with the rules of createProduct: a cleared field returns to its default, and no
 * change can produce a product that could not have been created. Different terms create a new price
 * version and order the replaced one to be stored. Returns the same product if nothing differs.
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

/** Inputs of a decision about meter prices. */
export interface MeterPriceDecision extends MeterPriceFacts {
  readonly now: Date;
  readonly idOf: MeterPriceIdOf;
}

/**
 * Replaces the set of meter prices and orders the old one to be stored, for the periods that
 * started with it. Returns the same product if nothing differs.
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

/** The error if another product of the environment has the lookup key. */
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

/** All fields of a product except its id and prices. */
function descriptionOf(input: ProductInput): Omit<Product, 'id' | 'price' | 'meterPrices'> {
  return {
    name: input.name,
    description: input.description ?? null,
    active: input.active ?? true,
    metadata: input.metadata ?? {},
    lookupKey: input.lookupKey ?? null,
    taxCategory: input.taxCategory ?? STANDARD_CATEGORY,
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
    taxCategory: after.taxCategory ?? undefined,
    amount: after.amount ?? undefined,
    tiers: after.tiers ?? undefined,
  };
}
