import { operationPaths, type OperationId } from './gen/operations';
import type { Method } from './method-types';
import { methods } from './operations';
import { List, type SomeItems } from './pages';
import { type BillingOptions, type CallOptions, Transport } from './transport';
import { Webhooks } from './webhooks';

type Methods = typeof methods;

/** The methods of one resource. */
type Resource<Verbs extends Readonly<Record<string, OperationId>>> = {
  readonly [Verb in keyof Verbs]: Method<Verbs[Verb]>;
};

/** All resources of the API, each with its methods. */
type Resources = { readonly [Name in keyof Methods]: Resource<Methods[Name]> };

// The instance gets its resources from the table of methods.
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface Billing extends Resources {}

/** A client of the billing API: `billing.<resource>.<method>(…)`. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class Billing {
  readonly webhooks = new Webhooks();

  constructor(options: BillingOptions) {
    const transport = new Transport(options);
    for (const [resource, verbs] of Object.entries(methods)) {
      const calls = Object.entries(verbs).map(
        ([verb, id]) => [verb, (...input: unknown[]) => call(transport, id, input)] as const,
      );
      Object.defineProperty(this, resource, { value: Object.fromEntries(calls), enumerable: true });
    }
  }
}

/** Calls an operation; `input` is what its method was given. */
function call(transport: Transport, id: OperationId, input: readonly unknown[]): unknown {
  const { method, path, takes } = operationPaths[id];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const filled = names.reduce<string>(
    (left, name, index) => left.replace(`{${name}}`, segment(input[index], name)),
    path,
  );
  const rest = input.slice(names.length);
  const content = takes === undefined ? undefined : (rest[0] ?? {});
  const options = (rest[takes === undefined ? 0 : 1] ?? {}) as CallOptions;
  const send = (query: unknown) =>
    transport.send({
      method,
      path: `${filled}${takes === 'query' ? queryOf(query as object) : ''}`,
      ...(takes === 'body' && { body: content }),
      joins: id === 'advanceClock',
      isExport: id.startsWith('export'),
      options,
    });
  const query = takes === 'query' ? content : undefined;
  if (!id.startsWith('list')) return send(query);
  const { isPaged } = operationPaths[id];
  return new List((one) => send(one) as Promise<SomeItems<unknown>>, { query, isPaged });
}

function segment(value: unknown, name: string): string {
  // A segment of dots would lead to another path.
  const isSegment = typeof value === 'string' && !/^\.{0,2}$/.test(value);
  if (!isSegment) throw new TypeError(`${name} must be an id`);
  return encodeURIComponent(value);
}

function queryOf(query: object): string {
  const entries = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    value === undefined ? [] : [[name, textOf(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(',') : String(value);
}
