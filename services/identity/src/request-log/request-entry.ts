import type { InputProblems } from '@billing/kernel/input-problems';

/** A request to the public API that wrote or failed. */
export interface RequestEntry {
  /** A v7 UUID assigned by the gateway: sorts by real time. */
  readonly id: string;
  readonly environmentId: string;
  /** Callers may choose it. */
  readonly requestId: string;
  /** Real time of its beginning. */
  readonly at: Date;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly durationMs: number;
  readonly traceId: string | undefined;
  readonly key: { readonly prefix: string; readonly last4: string } | undefined;
  readonly operatorEmail: string | undefined;
}

/** A JSON body for display, without secrets. */
export interface LoggedBody {
  readonly json: string;
  readonly isShortened: boolean;
}

/** Query and bodies of a request and its response, where they are known. */
export interface RequestBodies {
  /** In the form of `URLSearchParams`, without secrets. */
  readonly query?: string | undefined;
  readonly requestBody: LoggedBody | undefined;
  readonly responseBody: LoggedBody | undefined;
}

/** Filters of a list of requests. */
export interface RequestFilter {
  readonly method?: string | undefined;
  /** The first digit of the status. */
  readonly statusClass?: number | undefined;
  readonly pathPrefix?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A part of a list of requests. */
export interface RequestPage {
  /** Newest first, unless the oldest were asked for. */
  readonly data: RequestEntry[];
  /** Number over all pages, up to the counting limit. */
  readonly total: number;
  /** True when there are more than `total`. */
  readonly totalIsMore: boolean;
  /** Real time of the oldest searched entry; undefined: all were searched. */
  readonly searchedSince: Date | undefined;
}

/** Largest number of entries of one call. */
const entriesMax = 1_000;
const bodyBytesMax = 16 * 1024;
const queryLengthMax = 4_096;
/** Longest time for which bodies are kept, even if requests are kept for longer. */
export const bodyDaysMax = 7;

/** Lists the violations of a batch. */
export function batchProblems(count: number): InputProblems {
  return { requests: count > entriesMax ? [`Must be at most ${String(entriesMax)}`] : [] };
}

/** True if a query is short enough to be stored. */
export function isStorableQuery(query: string): boolean {
  return query.length <= queryLengthMax;
}

/** True if a body is small enough to be stored. */
export function isStorableBody({ json }: LoggedBody): boolean {
  return Buffer.byteLength(json) <= bodyBytesMax;
}
