import {
  MutationCache,
  QueryCache,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type ApiRequest, newIdempotencyKey, type Query, send } from './client';
import { useEnvironment } from './environment';
import { ApiProblem } from './problem';
import type { Page, Session } from './resources';

const sessionKey = ['session'];
const retriesMax = 2;
const freshMs = 5_000;
const pagePerExport = 100;

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiProblem | Error;
  }
}

/** What remembers answers. Whoever's session is over is asked to sign in where they are. */
export function newQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (!(error instanceof ApiProblem) || !error.isSessionOver) return;
    void client.resetQueries({ queryKey: sessionKey });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.queryKey[0] !== sessionKey[0]) onError(error);
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        retry: (failures, error) =>
          failures < retriesMax && error instanceof ApiProblem && error.isPassing,
      },
    },
  });
  return client;
}

/** Who is signed in. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ signal }) =>
      (await send({ path: '/dashboard/api/session', signal })) as Session,
  });
}

/** Asks who is signed in anew, after somebody came or went, and forgets what was seen before. */
export function useSessionChange(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    await client.resetQueries({ queryKey: sessionKey });
  };
}

/** What the API answers at `/v1/…` or `/dashboard/api/…`, in the environment that is looked at. */
export function useResource<T>(
  path: string,
  {
    query = {},
    refetchMs,
    isEnabled = true,
    inEnvironment,
  }: {
    readonly query?: Query;
    /** The id of another environment than the one that is looked at. */
    readonly inEnvironment?: string;
    /** Asks again so often while the page is looked at; absent: not by itself. */
    readonly refetchMs?: number | undefined;
    readonly isEnabled?: boolean;
  } = {},
) {
  const here = useEnvironment().id;
  const environmentId = inEnvironment ?? here;
  return useQuery({
    queryKey: [environmentId, path, query],
    queryFn: async ({ signal }) => (await send({ path, query, environmentId, signal })) as T,
    refetchInterval: refetchMs ?? false,
    enabled: isEnabled,
  });
}

/** One page of a list; the page before stays until the next is here. */
export function usePage<T>(path: string, query: Query, refetchMs?: number) {
  const { id: environmentId } = useEnvironment();
  return useQuery({
    queryKey: [environmentId, path, query],
    queryFn: async ({ signal }) => (await send({ path, query, environmentId, signal })) as Page<T>,
    refetchInterval: refetchMs ?? false,
    placeholderData: (before, beforeQuery) =>
      beforeQuery?.queryKey[0] === environmentId ? before : undefined,
  });
}

/** Reads a list to its end, or to `rowsMax`, telling how far it is. */
export function useWholeList<T>(path: string, query: Query) {
  const { id: environmentId } = useEnvironment();
  return async (
    rowsMax: number,
    tell: (done: number, total: number) => void,
  ): Promise<readonly T[]> => {
    const rows: T[] = [];
    for (let page = 1; rows.length < rowsMax; page += 1) {
      const wanted = { ...query, page, perPage: pagePerExport };
      const { data, total } = (await send({ path, query: wanted, environmentId })) as Page<T>;
      rows.push(...data);
      tell(rows.length, Math.min(total, rowsMax));
      if (data.length < pagePerExport) break;
    }
    return rows.slice(0, rowsMax);
  };
}

/** Something that changes something. What is on the page is asked for anew when it has succeeded. */
export function useAction<Input, Output = unknown>(request: (input: Input) => ApiRequest) {
  const { id: environmentId } = useEnvironment();
  const client = useQueryClient();
  return useMutation<Output, Error, Input & object>({
    mutationFn: async (input) => (await sendOnce({ environmentId, ...request(input) })) as Output,
    onSuccess: () => client.invalidateQueries(),
  });
}

/** Where no answer came, a repeat with the same key does nothing twice; only the public API knows keys. */
async function sendOnce(request: ApiRequest): Promise<unknown> {
  if (!request.path.startsWith('/v1/')) return send(request);
  const repeatable = { idempotencyKey: newIdempotencyKey(), ...request };
  try {
    return await send(repeatable);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.details.status !== 0) throw error;
    return send(repeatable);
  }
}
