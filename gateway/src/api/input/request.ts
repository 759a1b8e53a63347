import type { CallContext } from '@billing/chassis/call-context';

/** An authenticated and parsed but not yet validated request. */
export interface ApiRequest {
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** JSON body, `{}` if there was none. The bytes for routes with `readsBytes`. */
  readonly body: unknown;
  readonly context: CallContext;
  /** Version from `If-Match` that the caller wants to change; undefined for any. */
  readonly expectedVersion: bigint | undefined;
  readonly caller: RequestCaller;
}

/** Caller of a request: an API key or an operator of the dashboard. */
export interface RequestCaller {
  readonly type: 'KEY' | 'OPERATOR';
  readonly id: string;
}

/** Value of a path parameter. */
export function param({ params }: Pick<ApiRequest, 'params'>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path has no :${name}`);
  return value;
}
