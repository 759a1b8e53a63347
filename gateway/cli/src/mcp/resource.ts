import { readings } from '@billing/client/readings';
import { wrongUsage } from '../terminal/failure';

/** JSON resource of the API: a list, or a single item. */
export interface Resource {
  /** The path without its version and its ids, such as `subscriptions/changes`. */
  readonly name: string;
  readonly path: string;
  readonly isList: boolean;
  /** The query of a list, without its page. */
  readonly filters: readonly string[];
}

/** A value of a filter. */
export type FilterValue = string | number | boolean | readonly string[];

// Pages of the feed are found by cursors; a tool of its own reads them.
const feed = '/v1/webhook-events';

/** All lists by name. */
export const lists = byName(({ path, isList }) => isList && path !== feed);

/** All single resources by name. */
export const singles = byName(({ isList }) => !isList);

function byName(isWanted: (reading: (typeof readings)[number]) => boolean) {
  const wanted = readings.filter(isWanted).map((reading) => {
    const parts = reading.path.replace('/v1/', '').split('/');
    const name = parts.filter((part) => !part.startsWith('{')).join('/');
    return [name, { ...reading, name }] as const;
  });
  return new Map<string, Resource>(wanted);
}

/** Names of the ids in the path of a resource. */
export function idNames({ path }: Resource): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Address of a list; ids of its path are among the filters. */
export function listPath(
  resource: Resource,
  filters: Readonly<Record<string, FilterValue>>,
  { page }: { page: number },
): string {
  const ids = idNames(resource).map((name) => textOf(filters[name] ?? '', `filters.${name}`));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    if (idNames(resource).includes(name)) continue;
    if (!resource.filters.includes(name)) {
      throw wrongUsage(`${resource.name} has no filter ${name}; it has: ${filterNames(resource)}`);
    }
    query.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  if (resource.filters.includes('perPage')) query.set('page', String(page));
  const text = query.toString();
  return `${fill(resource, ids)}${text === '' ? '' : `?${text}`}`;
}

/** Address of one resource; several ids are separated by slashes. */
export function singlePath(resource: Resource, id: string | undefined): string {
  const names = idNames(resource);
  const ids = id === undefined ? [] : id.split('/');
  if (ids.length !== names.length) {
    const needed = names.length === 0 ? 'no id' : `an id: ${names.join('/')}`;
    throw wrongUsage(`${resource.name} takes ${needed}`);
  }
  return fill(
    resource,
    ids.map((one) => textOf(one, 'id')),
  );
}

/** Names of the filters, and of the ids that a list needs. */
export function filterNames(resource: Resource): string {
  return [...idNames(resource).map((name) => `${name} (required)`), ...resource.filters].join(', ');
}

function textOf(value: FilterValue, name: string): string {
  // A segment of dots would lead to another path.
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw wrongUsage(`${name} is required`);
  return encodeURIComponent(value);
}

function fill(resource: Resource, ids: readonly string[]): string {
  const names = idNames(resource);
  return names.reduce(
    (path, name, index) => path.replace(`{${name}}`, () => ids[index] ?? ''),
    resource.path,
  );
}
