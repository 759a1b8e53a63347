import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { toJsonSearchResult } from '@billing/gateway/operator/search-routes';
import { send } from '../../api/client';
import { useEnvironment } from '../../api/environment';

export type SearchResult = ReturnType<typeof toJsonSearchResult>;

// Shorter than a pause between words, longer than one between letters.
const settledAfterMs = 120;

/** The text once it has not changed for a moment; an empty text at once. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : settledAfterMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Resources of the environment that match the text; the last results stay while others load. */
export function useSearch(q: string) {
  const { id: environmentId } = useEnvironment();
  const path = '/dashboard/api/search';
  return useQuery({
    queryKey: [environmentId, path, q],
    queryFn: async ({ signal }) => {
      if (q === '') return [];
      const body = await send({ path, query: { q }, environmentId, signal });
      return (body as { readonly results: readonly SearchResult[] }).results;
    },
    placeholderData: keepPreviousData,
  });
}
