import { Decimal } from '@billing/kernel/decimal';
import { isSameData } from '@billing/kernel/equality';
import {
  type MeterPriceInput,
  meterPriceProblems,
  meterPricesMax,
  meterTiersProblems,
} from '@billing/kernel/input/meter-price';
import { parseTiers } from '@billing/kernel/tiers';
import type { UsagePrice } from '@billing/kernel/usage-pricing';

/** What a meter's units cost in a period. It never changes. */
export interface MeterPrice extends UsagePrice {
  readonly id: string;
  readonly meterId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** All meter prices of a product from a moment on. A set never changes; another one replaces it whole. */
export interface MeterPriceSet {
  /** Counts the product's sets; 0 is the empty one that it begins with. */
  readonly number: number;
  /** From when on it is in force; null: from the beginning. */
  readonly since: Date | null;
  /** One for each meter, in the order in which they were given. */
  readonly prices: readonly MeterPrice[];
}

/** A set that a later one has replaced, kept for the periods that began with it. */
export interface ReplacedMeterPrices {
  readonly productId: string;
  readonly set: MeterPriceSet;
  readonly replacedAt: Date;
}

/** What the judgement of a set needs from outside. */
export interface MeterPriceFacts {
  /** Those of the named meters that exist. */
  readonly knownMeterIds: ReadonlySet<string>;
  /** Metadata is checked alike by all services, outside their rules. */
  readonly metadataProblemsOf: (metadata: MeterPriceInput['metadata']) => readonly string[];
}

/** The id of a price by the number of its set and its place in it, the same however often it is asked for. */
export type MeterPriceIdOf = (setNumber: number, index: number) => string;

/** The set that every product begins with. */
export const noMeterPrices: MeterPriceSet = { number: 0, since: null, prices: [] };

/** What is wrong with a set, each message with the path to its element in front. */
export function meterPricesProblems(
  inputs: readonly MeterPriceInput[],
  facts: MeterPriceFacts,
): string[] {
  if (inputs.length > meterPricesMax) {
    return [`Must have at most ${String(meterPricesMax)} prices`];
  }
  return inputs.flatMap((input, index) => {
    const problems = {
      meterId: meterProblems(inputs, index, facts),
      ...meterPriceProblems(input),
      metadata: facts.metadataProblemsOf(input.metadata),
    };
    const ofFields = Object.entries(problems).flatMap(([field, messages]) =>
      messages.map((message) => `${String(index)}.${field}: ${message}`),
    );
    return [...ofFields, ...meterTiersProblems(input, `${String(index)}.tiers`)];
  });
}

/** The set after a call; the very same one where nothing differs. The input was judged before. */
export function meterPricesAfter(
  set: MeterPriceSet,
  inputs: readonly MeterPriceInput[],
  { now, idOf }: { readonly now: Date; readonly idOf: MeterPriceIdOf },
): MeterPriceSet {
  const terms = inputs.map(meterPriceTerms);
  if (isSameData(terms, set.prices.map(termsOf))) return set;
  const number = set.number + 1;
  const prices = terms.map((price, index) => ({
    id: idOf(number, index),
    ...price,
    createdAt: now,
  }));
  return { number, since: now, prices };
}

type MeterPriceTerms = Omit<MeterPrice, 'id' | 'createdAt'>;

function meterPriceTerms(input: MeterPriceInput): MeterPriceTerms {
  const { type = 'PER_UNIT', tiers } = input;
  if (type === 'UNKNOWN') throw new Error('The meter prices were not checked');
  return {
    meterId: input.meterId,
    type,
    unitAmount: canonical(input.unitAmount),
    tiers: tiers === undefined ? null : parseTiers(tiers),
    includedUnits: canonical(input.includedUnits) ?? '0',
    packageSize: canonical(input.packageSize),
    minimumAmount: input.minimumAmount ?? null,
    maximumAmount: input.maximumAmount ?? null,
    metadata: input.metadata ?? {},
  };
}

function termsOf({ id: _id, createdAt: _createdAt, ...terms }: MeterPrice): MeterPriceTerms {
  return terms;
}

function canonical(decimal: string | undefined): string | null {
  return decimal === undefined ? null : Decimal.parse(decimal).toString();
}

function meterProblems(
  inputs: readonly MeterPriceInput[],
  index: number,
  { knownMeterIds }: MeterPriceFacts,
): string[] {
  const meterId = inputs[index]?.meterId ?? '';
  if (meterId === '') return ['Required'];
  if (!knownMeterIds.has(meterId)) return ['Meter not found'];
  const first = inputs.findIndex((input) => input.meterId === meterId);
  return first === index ? [] : ['The meter already has a price'];
}
