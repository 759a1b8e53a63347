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

/** Price of a meter's units in a period. Immutable. */
export interface MeterPrice extends UsagePrice {
  readonly id: string;
  readonly meterId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/**
 * All meter prices of a product from an instant on. Immutable; a new set replaces it as a whole.
 */
export interface MeterPriceSet {
  /** Sequence number within the product; 0 is the initial empty set. */
  readonly number: number;
  /** Start of validity; null: from the beginning. */
  readonly since: Date | null;
  /** One per meter, in the order given. */
  readonly prices: readonly MeterPrice[];
}

/** A replaced set, kept for the periods that started with it. */
export interface ReplacedMeterPrices {
  readonly productId: string;
  readonly set: MeterPriceSet;
  readonly replacedAt: Date;
}

/** External facts needed to validate a set. */
export interface MeterPriceFacts {
  /** Ids of the referenced meters that exist. */
  readonly knownMeterIds: ReadonlySet<string>;
  /** The metadata check that all services share; not part of this service's rules. */
  readonly metadataProblemsOf: (metadata: MeterPriceInput['metadata']) => readonly string[];
}

/** Derives the id of a price from the number of its set and its position; deterministic. */
export type MeterPriceIdOf = (setNumber: number, index: number) => string;

/** The initial set of every product. */
export const noMeterPrices: MeterPriceSet = { number: 0, since: null, prices: [] };

/** Problems of a set, each prefixed with the path of its element. */
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

/**
 * Returns the set after a call; the same set if nothing differs. The input must have been
 * validated.
 */
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
  if (type === 'UNKNOWN') throw new Error('Unvalidated meter prices');
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
