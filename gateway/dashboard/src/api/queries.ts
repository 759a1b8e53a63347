import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useMutation,
  useMutationState,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiRequest, type Page, type Query, send } from './client';
import { useEnvironment } from './environment';
import { environmentPath } from './environment-path';
import { IdBatch } from './id-batch';
import { ApiProblem } from './problem';
import type { Environment, Session } from './session';
import { type RowOutcome, runRows, sendRow } from './row-action';
import { FormKey, retryDelayMs } from './safe-retry';
import { type Success, successes } from './successes';

const sessionKey = ['session'];
const retriesMax = 2;
const freshMs = 5_000;
const pagePerExport = 100;

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiProblem | Error;
  }
}

/** Creates the query cache. When the session has ended, the sign-in form replaces the page. */
export function newQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (!(error instanceof ApiProblem)) return;
    // The session says so, too, and its page replaces the one that was refused.
    if (error.isFactorMissing || error.isRecovering)
      void client.invalidateQueries({ queryKey: sessionKey });
    if (error.isSessionOver) void client.resetQueries({ queryKey: sessionKey });
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
          failures < retriesMax && error instanceof ApiProblem && error.isTransient,
      },
    },
  });
  return client;
}

/** Session of the signed-in operator. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ signal }) =>
      (await send({ path: '/dashboard/api/session', signal })) as Session,
  });
}

/** One environment of the organization, by id. */
export function useEnvironmentById(id: string) {
  return useQuery({
    queryKey: ['environments', id],
    queryFn: async ({ signal }) =>
      (await send({
        path: `/dashboard/api/environments/${encodeURIComponent(id)}`,
        signal,
      })) as Environment,
  });
}

/**
 * One page of the organization's environments: live first, then newest first. `search` matches part
 * of a name, or an id.
 */
export function useEnvironments(query: { search: string; page: number; perPage: number }) {
  return useQuery({
    queryKey: ['environments', query],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await send({ path: '/dashboard/api/environments', query, signal })) as Page<Environment>,
  });
}

/** Reloads the session after sign-in or sign-out, and clears all other cached data. */
export function useSessionChange(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    await client.resetQueries({ queryKey: sessionKey });
  };
}

/** Response of `/v1/…` or `/dashboard/api/…` in the selected environment. */
export function useResource<T>(
  path: string,
  {
    query = {},
    refetchMs,
    isEnabled = true,
    inEnvironment,
  }: {
    readonly query?: Query;
    /** Id of an environment other than the selected one. */
    readonly inEnvironment?: string;
    /** Polling interval while the page is open; absent: no polling. */
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

/**
 * Result of several reads of one path, polled `readsMax` times. `read` receives the function that
 * sends a query.
 */
export function usePolled<Response, Result>(
  { path, query, environmentId }: Required<Pick<ApiRequest, 'path' | 'query' | 'environmentId'>>,
  { refetchMs, readsMax }: { readonly refetchMs: number; readonly readsMax: number },
  read: (sendQuery: (query: Query) => Promise<Response>) => Promise<Result>,
) {
  return useQuery({
    queryKey: [environmentId, path, 'polled', query],
    queryFn: ({ signal }) =>
      read(async (one) => (await send({ path, query: one, environmentId, signal })) as Response),
    refetchInterval: ({ state }) =>
      state.dataUpdateCount + state.errorUpdateCount < readsMax && refetchMs,
  });
}

/** One page of a list; the previous page stays visible while the next one loads. */
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

const batches = new Map<string, IdBatch<{ readonly id: string }>>();

/**
 * One resource of a list that has the filter `ids`, or null. Those that the page needs at the same
 * time are read by one request. An empty id reads nothing.
 */
export function useListed<T extends { readonly id: string }>(path: string, id: string) {
  const { id: environmentId } = useEnvironment();
  const query = listedQuery({ path, id, environmentId });
  return useQuery({ ...query, queryFn: async () => (await query.queryFn()) as T | null });
}

/** As `useListed`, for several: those that are read so far. */
export function useListedAll<T extends { readonly id: string }>(
  path: string,
  ids: readonly string[],
) {
  const { id: environmentId } = useEnvironment();
  return useQueries({
    queries: ids.map((id) => listedQuery({ path, id, environmentId })),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []) as T[],
  });
}

function listedQuery({
  path,
  id,
  environmentId,
}: {
  path: string;
  id: string;
  environmentId: string;
}) {
  return {
    queryKey: [environmentId, path, 'by id', id],
    queryFn: () => batchOf(path, environmentId).find(id),
    enabled: id !== '',
  };
}

function batchOf(path: string, environmentId: string): IdBatch<{ readonly id: string }> {
  const key = `${environmentId} ${path}`;
  const batch =
    batches.get(key) ??
    new IdBatch(async (ids) => {
      const query = { ids: ids.join(','), perPage: ids.length };
      const answer = await send({ path, query, environmentId });
      return (answer as Page<{ readonly id: string }>).data;
    });
  batches.set(key, batch);
  return batch;
}

/** Reads a list to its end, or to `rowsMax`, and reports progress. */
export function useWholeList<T>(path: string, query: Query) {
  const { id: environmentId } = useEnvironment();
  return async (
    rowsMax: number,
    report: (done: number, total: number) => void,
  ): Promise<readonly T[]> => {
    const rows: T[] = [];
    for (let page = 1; rows.length < rowsMax; page += 1) {
      const wanted = { ...query, page, perPage: pagePerExport };
      const { data, total } = (await send({ path, query: wanted, environmentId })) as Page<T>;
      rows.push(...data);
      report(rows.length, Math.min(total, rowsMax));
      if (data.length < pagePerExport) break;
    }
    return rows.slice(0, rowsMax);
  };
}

/**
 * A write. After a success the data of the page is reloaded and `success` is shown; absent for
 * actions whose result the page shows. If the outcome is unknown and the request is repeatable, it
 * is retried with the same idempotency key, here and when the unchanged form is submitted again.
 */
export function useAction<Input, Output = unknown>(
  request: (input: Input) => ApiRequest,
  success?: string | ((output: Output, input: Input) => Success | undefined),
) {
  const environment = useEnvironment();
  const environmentId = environment.id;
  const client = useQueryClient();
  return useMutation<Output, Error, Input & object>({
    ...useRetries<Input, Output>((input) => ({ environmentId, ...request(input) })),
    onSuccess: (output, input) => {
      const shown: Success | undefined =
        typeof success === 'string' ? { text: success } : success?.(output, input);
      if (shown !== undefined) {
        const { text, href } = shown;
        const place = environmentPath(shown.environment ?? environment);
        const link = href !== undefined && { href: `${place}${href}` };
        successes.add({ title: text, data: { ...link } });
      }
      return client.invalidateQueries();
    },
  });
}

/**
 * A write outside of all environments, after which the page shows no notice. Retried like an
 * action.
 */
export function useOpenAction<Input, Output = unknown>(request: (input: Input) => ApiRequest) {
  return useMutation<Output, Error, Input & object>(useRetries<Input, Output>(request));
}

/** Options of a write that is retried under the idempotency key of its form. */
function useRetries<Input, Output>(request: (input: Input) => ApiRequest) {
  const [key] = useState(() => new FormKey());
  return {
    mutationFn: async (input: Input) => (await key.send(request(input), send)) as Output,
    // The first argument is the number of failures before this one.
    retry: (earlier: number, error: Error) => retryDelayMs(earlier + 1, error) !== undefined,
    retryDelay: (earlier: number, error: Error) => retryDelayMs(earlier + 1, error) ?? 0,
    networkMode: 'always',
  } as const;
}

/** A request on demand that stores nothing: a computation, or a read whose result is not cached. */
export function useComputation<Input, Output>(request: (input: Input) => ApiRequest) {
  const { id: environmentId } = useEnvironment();
  return useMutation<Output, Error, Input & object>({
    mutationFn: async (input) => (await send({ environmentId, ...request(input) })) as Output,
    networkMode: 'always',
  });
}

/** Writes on many rows of a list; the page is reloaded after them. */
export function useRowActions() {
  const { id: environmentId } = useEnvironment();
  const client = useQueryClient();
  // A row that is started again keeps its idempotency key while its outcome is unknown.
  const [keys] = useState(() => new WeakMap<object, FormKey>());
  return {
    send: <Row extends object>(
      rows: readonly Row[],
      {
        act,
        report,
        isStopped,
      }: {
        act: (row: Row, send: (request: ApiRequest) => Promise<unknown>) => Promise<RowOutcome>;
        report: (row: Row, outcome: RowOutcome) => void;
        isStopped: () => boolean;
      },
    ) =>
      runRows(rows, {
        act: (row) => {
          const key = keys.get(row) ?? new FormKey();
          keys.set(row, key);
          return act(row, (request) => sendRow({ environmentId, ...request }, { key, isStopped }));
        },
        report,
        isStopped,
      }),
    reload: () => client.invalidateQueries(),
  };
}

/** Failure of a write that is being retried now; null if there is none. */
export function useRetriedFailure(): Error | null {
  const failures = useMutationState({
    filters: { status: 'pending' },
    select: ({ state }) => state.failureReason,
  });
  return failures.find((failure) => failure !== null) ?? null;
}
