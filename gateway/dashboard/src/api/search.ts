import { useQuery, type UseQueryResult } from '@tanstack/react-query';
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
    queryFn: async ({ signal }) => (q === '' ? nothing : find(q, { environmentId, signal })),
  });
}

/** A list whose resources are searched. */
interface Searched {
  readonly path: string;
  /** Type of the resources in the search. */
  readonly type: SearchResult['type'];
  /** Further filters of the list. */
  readonly query?: Query;
}

/** Number of the newest resources that are offered without a search. */
const offeredMax = 20;

/**
 * Resources of a list to choose from: those that match the text, the best match first; without a
 * text the newest ones, with `total` of the whole list. The list has the filter `ids`.
 */
export function useFound<T extends { readonly id: string }>(
  { path, type, query = {} }: Searched,
  {
    search = '',
    isEnabled = true,
    isOffered = () => true,
  }: {
    readonly search?: string;
    readonly isEnabled?: boolean;
    /** False for resources that cannot be chosen. */
    readonly isOffered?: (one: T) => boolean;
  },
): UseQueryResult<{ readonly data: readonly T[]; readonly total: number }> {
  const { id: environmentId } = useEnvironment();
  const text = useSettled(search.trim().slice(0, textLengthMax));
  return useQuery({
    queryKey: [environmentId, path, 'found', query, text],
    queryFn: async ({ signal }) => {
      const read = async (of: Query) =>
        (await send({ path, query: { ...query, ...of }, environmentId, signal })) as Page<T>;
      if (text === '') {
        const { data, total } = await read({ perPage: offeredMax });
        return { data, total };
      }
      const { results, missing } = await find(text, { environmentId, signal });
      if (missing.includes(type)) throw new Error('Service unavailable');
      const ids = results.filter((one) => one.type === type).map(({ id }) => id);
      if (ids.length === 0) return { data: [], total: 0 };
      const { data } = await read({ ids: ids.join(','), perPage: ids.length });
      const byId = new Map(data.map((one) => [one.id, one]));
      const found = ids.map((id) => byId.get(id)).filter((one) => one !== undefined);
      return { data: found, total: found.length };
    },
    select: ({ data, total }) => ({ data: data.filter(isOffered), total }),
    enabled: isEnabled,
    placeholderData: (before, beforeQuery) =>
      beforeQuery?.queryKey[0] === environmentId ? before : undefined,
  });
}

async function find(
  q: string,
  { environmentId, signal }: { environmentId: string; signal: AbortSignal },
): Promise<Found> {
  return (await send({ path: searchPath, query: { q }, environmentId, signal })) as Found;
}
