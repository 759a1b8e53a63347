import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { toJsonSearchResult } from '@billing/gateway/operator/search-routes';
import { type Page, type Query, send } from './client';
import { useEnvironment } from './environment';

export type SearchResult = ReturnType<typeof toJsonSearchResult>;

/** Found resources, and the types of those that could not be searched. */
export interface Found {
  readonly results: readonly SearchResult[];
  readonly missing: readonly SearchResult['type'][];
}

const nothing: Found = { results: [], missing: [] };

// Shorter than a pause between words, longer than one between letters.
const settledAfterMs = 120;
const textLengthMax = 100;
const searchPath = '/dashboard/api/search';

/** The text once it has not changed for a moment; an empty text at once. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : settledAfterMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Resources of the environment that match the text. */
export function useSearch(q: string) {
  const { id: environmentId } = useEnvironment();
  return useQuery({
    queryKey: [environmentId, searchPath, q],
    queryFn: async ({ signal }) => (q === '' ? nothing : find({ q }, { environmentId, signal })),
  });
}

/** A list whose resources are searched. */
interface Searched {
  readonly path: string;
  /** Type of the resources in the search. */
  readonly type: SearchResult['type'];
  /** Filters of the list, which the search has, too. */
  readonly query?: SearchFilters;
}

interface SearchFilters extends PriceTerms {
  /** Filters products and discounts. */
  readonly active?: boolean;
  /** Filters subscriptions; empty: all customers. */
  readonly customerId?: string;
}

/** Terms of the current price of products. */
export interface PriceTerms {
  readonly currency?: string | undefined;
  readonly recurring?: boolean;
  readonly billingInterval?: string;
  readonly intervalCount?: number;
}

/** Number of resources that are offered. */
const offeredMax = 20;
/** Number of resources that are read, if some of them cannot be chosen. */
const matchesMax = 100;

/** State of a search for choices. */
export type SearchProgress = 'PENDING' | 'FAILED' | 'DONE';

/** Resources of a list to choose from. */
export interface FoundList<T> {
  /** The first of them, and `total` of the whole list if there is no search. */
  readonly data: { readonly data: readonly T[]; readonly total: number } | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  /** PENDING while the data are those of another search. */
  readonly progress: SearchProgress;
}

/**
 * Resources of a list to choose from: those that match the text, the best match first; without a
 * text the newest ones. The list has the filter `ids`.
 */
export function useFound<T extends { readonly id: string }>(
  { path, type, query = {} }: Searched,
  {
    search = '',
    isEnabled = true,
    isOffered,
  }: {
    readonly search?: string;
    readonly isEnabled?: boolean;
    /** False for a few resources that cannot be chosen; filters leave out more of them. */
    readonly isOffered?: (one: T) => boolean;
  },
): FoundList<T> {
  const { id: environmentId } = useEnvironment();
  const typed = search.trim().slice(0, textLengthMax);
  const text = useSettled(typed);
  const perPage = isOffered === undefined ? offeredMax : matchesMax;
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [environmentId, path, 'found', { ...query, perPage }, text],
    queryFn: async ({ signal }) => {
      const read = async (of: Query) =>
        (await send({ path, query: { ...query, ...of }, environmentId, signal })) as Page<T>;
      if (text === '') {
        const { data: newest, total } = await read({ perPage });
        return { data: newest, total };
      }
      const wanted = { q: text, type, ...query };
      const { results, missing } = await find(wanted, { environmentId, signal });
      if (missing.includes(type)) throw new Error('Service unavailable');
      const ids = results.map(({ id }) => id);
      if (ids.length === 0) return { data: [], total: 0 };
      const { data: listed } = await read({ ids: ids.join(','), perPage: matchesMax });
      const byId = new Map(listed.map((one) => [one.id, one]));
      const found = ids.map((id) => byId.get(id)).filter((one) => one !== undefined);
      return { data: found, total: found.length };
    },
    select: ({ data: found, total }) => ({
      data: found.filter((one) => isOffered?.(one) ?? true).slice(0, offeredMax),
      total,
    }),
    enabled: isEnabled,
    placeholderData: (before, beforeQuery) =>
      beforeQuery?.queryKey[0] === environmentId ? before : undefined,
  });
  const isPending = typed !== text || isPlaceholderData || (data === undefined && error === null);
  const progress = isPending ? 'PENDING' : error === null || data !== undefined ? 'DONE' : 'FAILED';
  return { data, error, refetch, progress };
}

/** Searches one type of resources, with more results, or all of them. */
async function find(
  query: SearchFilters & { readonly q: string; readonly type?: SearchResult['type'] },
  { environmentId, signal }: { environmentId: string; signal: AbortSignal },
): Promise<Found> {
  return (await send({ path: searchPath, query: { ...query }, environmentId, signal })) as Found;
}
