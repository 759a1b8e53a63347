import type { Collection, Filter, Sort } from 'mongodb';
import {
  beginningWith,
  correctionsOf,
  isIdBeginning,
  type KeyCondition,
  matches,
  queryWordsOf,
  wholeKeyOf,
} from '@billing/kernel/search-words';
import type { CallContext } from '../grpc/call-context';
import { retryTransient } from '../mongo/mongo';
import {
  type AggregateDefinition,
  type AggregateDocument,
  type Stored,
  toStored,
} from './aggregate';

/** Maximum number of aggregates that a search returns, unless it asks for more. */
export const usualResults = 8;
/** Maximum number of aggregates that a search can ask for. */
export const resultsMax = 100;
// Maximum number of aggregates that are compared, if words are longer than keys.
const comparedMax = 200;

/** Part of the matches that a search returns. */
export interface SearchRange {
  /** Maximum number of aggregates. */
  readonly limit: number;
  /** Condition on the documents, as of a list. */
  readonly filter: Readonly<Record<string, unknown>>;
}

/** Environment and range of a search. */
export interface SearchPlace extends SearchRange {
  readonly environmentId: string;
}

/** Documents of one kind of aggregate. */
interface Searched<S extends { readonly id: string }> {
  readonly documents: Collection<AggregateDocument>;
  readonly definition: AggregateDefinition<S>;
}

/**
 * Finds the environment's aggregates whose id begins with a word of a query, the newest first. The
 * ids of their creation's minute are read, until there are enough.
 */
export async function findByIdBeginning<S extends { readonly id: string }>(
  searched: Searched<S>,
  word: string,
  { filter, ...at }: SearchPlace,
): Promise<Stored<S>[]> {
  if (!isIdBeginning(word)) return [];
  // Sorts after every digit.
  const _id = { $gte: word, $lt: `${word}g` };
  return findMatching(searched, { ...at, filter: { ...filter, _id } }, { _id: -1 });
}

/** Returns each found aggregate once, in this order, up to a limit. */
export function eachOnce<S extends { readonly id: string }>(
  found: readonly Stored<S>[],
  limit: number,
): Stored<S>[] {
  const all = new Map(found.map((one) => [one.state.id, one]));
  return [...all.values()].slice(0, limit);
}

/** Finds the environment's aggregates that match a filter. */
export async function findMatching<S extends { readonly id: string }>(
  { documents, definition }: Searched<S>,
  { environmentId, limit, filter }: SearchPlace,
  sort: Sort = {},
): Promise<Stored<S>[]> {
  const query = { ...filter, environmentId } as Filter<AggregateDocument>;
  const found = await retryTransient(() => documents.find(query).sort(sort).limit(limit).toArray());
  return found.map((document) => toStored(definition, document));
}

/**
 * Finds aggregates by the keys in their documents: beginnings of words. The keys are written
 * together with the document, so a search reads its own writes, and no document is found by a word
 * that it no longer has. One multikey index holds the keys of all documents; queries are for equal
 * keys only, which every supported database answers from the index.
 */
export class SearchIndex<S extends { readonly id: string }> {
  constructor(
    private readonly documents: Collection<AggregateDocument>,
    private readonly definition: AggregateDefinition<S>,
  ) {}

  /**
   * Finds the environment's aggregates that have, for each word of the text, a word beginning so,
   * or the id that begins so. Those that have the words as a whole come first.
   */
  async find(
    text: string,
    { tenant }: Pick<CallContext, 'tenant'>,
    { limit = usualResults, filter = {} }: Partial<SearchRange> = {},
  ): Promise<Stored<S>[]> {
    const words = queryWordsOf(text);
    const [word] = words;
    if (word === undefined) return [];
    const at = { environmentId: tenant.environmentId, limit, filter };
    const [ofId, whole, begun] = await Promise.all([
      words.length === 1 ? this.findById(word, at) : [],
      this.read(at, words.map(whollyEqual)),
      this.readMatching(at, words, words.flatMap(beginningWith)),
    ]);
    const found = new Map([...whole, ...begun].map((document) => [document._id, document]));
    const isNone = ofId.length + found.size === 0;
    const documents = isNone ? await this.readCorrected(at, words) : [...found.values()];
    const stored = documents.map((document) => toStored(this.definition, document));
    return eachOnce([...ofId, ...stored], limit);
  }

  private async findById(word: string, at: SearchPlace): Promise<Stored<S>[]> {
    const { documents, definition } = this;
    const found = await findByIdBeginning({ documents, definition }, word, at);
    return found.filter(({ state }) => definition.search?.findableOf(state) !== undefined);
  }

  private async readMatching(
    at: SearchPlace,
    words: readonly string[],
    conditions: readonly KeyCondition[],
  ): Promise<AggregateDocument[]> {
    const found = await this.read(at, conditions);
    return found.filter(({ searchKeys: keys = [] }) => words.every((word) => matches(keys, word)));
  }

  /** Finds documents with one word of the text corrected by one letter. */
  private async readCorrected(
    at: SearchPlace,
    words: readonly string[],
  ): Promise<AggregateDocument[]> {
    if (this.definition.search?.isForgiving !== true) return [];
    for (const [index, word] of words.entries()) {
      const keys = correctionsOf(word).map(wholeKeyOf);
      const others = words.toSpliced(index, 1);
      const conditions = [{ keys, isExact: true }, ...others.flatMap(beginningWith)];
      const found = keys.length === 0 ? [] : await this.readMatching(at, others, conditions);
      if (found.length > 0) return found;
    }
    return [];
  }

  private async read(
    { environmentId, limit, filter }: SearchPlace,
    conditions: readonly KeyCondition[],
  ): Promise<AggregateDocument[]> {
    const filters = conditions.map(({ keys }) => ({ searchKeys: { $in: [...keys] } }));
    const [first] = filters;
    const query = {
      ...filter,
      environmentId,
      ...(filters.length === 1 ? first : { $and: filters }),
    };
    const isExact = conditions.every((condition) => condition.isExact);
    return retryTransient(() =>
      this.documents
        .find(query as Filter<AggregateDocument>)
        .limit(isExact ? limit : comparedMax)
        .toArray(),
    );
  }
}

function whollyEqual(word: string): KeyCondition {
  return { keys: [wholeKeyOf(word)], isExact: true };
}
