import type { Collection, Filter } from 'mongodb';
import {
  beginningWith,
  correctionsOf,
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
interface SearchRange {
  /** Maximum number of aggregates. */
  readonly limit?: number;
  /** Condition on the documents, as of a list. */
  readonly filter?: Readonly<Record<string, unknown>>;
}

/** A word of a query, and another form in which it may be stored. */
type Forms = readonly [word: string] | readonly [word: string, other: string];

/** Environment and range of a search. */
interface Place extends Required<SearchRange> {
  readonly environmentId: string;
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
   * Finds the environment's aggregates that have, for each word of the text, a word beginning so.
   * Those that have the words as a whole come first.
   */
  async find(
    text: string,
    { tenant }: Pick<CallContext, 'tenant'>,
    { limit = usualResults, filter = {} }: SearchRange = {},
  ): Promise<Stored<S>[]> {
    const words = queryWordsOf(text).map((word) => this.formsOf(word));
    if (words.length === 0) return [];
    const at = { environmentId: tenant.environmentId, limit, filter };
    const [whole, begun] = await Promise.all([
      this.read(at, words.map(whollyEqual)),
      this.readMatching(at, words, words.flatMap(begunBy)),
    ]);
    const found = new Map([...whole, ...begun].map((document) => [document._id, document]));
    const documents = found.size > 0 ? [...found.values()] : await this.readCorrected(at, words);
    return documents.slice(0, limit).map((document) => toStored(this.definition, document));
  }

  private formsOf(word: string): Forms {
    const other = this.definition.search?.otherFormOf?.(word);
    return other === undefined || other === word ? [word] : [word, other];
  }

  private async readMatching(
    at: Place,
    words: readonly Forms[],
    conditions: readonly KeyCondition[],
  ): Promise<AggregateDocument[]> {
    const found = await this.read(at, conditions);
    return found.filter(({ _id: id, searchKeys: keys = [] }) =>
      words.every((forms) => forms.some((form) => matches({ id, keys }, form))),
    );
  }

  /** Finds documents with one word of the text corrected by one letter. */
  private async readCorrected(at: Place, words: readonly Forms[]): Promise<AggregateDocument[]> {
    if (this.definition.search?.isForgiving !== true) return [];
    for (const [index, [word]] of words.entries()) {
      const keys = correctionsOf(word).map(wholeKeyOf);
      const others = words.toSpliced(index, 1);
      const conditions = [{ keys, isExact: true }, ...others.flatMap(begunBy)];
      const found = keys.length === 0 ? [] : await this.readMatching(at, others, conditions);
      if (found.length > 0) return found;
    }
    return [];
  }

  private async read(
    { environmentId, limit, filter }: Place,
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

function whollyEqual(forms: Forms): KeyCondition {
  return { keys: forms.map(wholeKeyOf), isExact: true };
}

function begunBy([word, other]: Forms): KeyCondition[] {
  const conditions = beginningWith(word);
  if (other === undefined) return conditions;
  const others = beginningWith(other);
  return conditions.flatMap((one) =>
    others.map((another) => ({
      keys: [...new Set([...one.keys, ...another.keys])],
      isExact: one.isExact && another.isExact,
    })),
  );
}
