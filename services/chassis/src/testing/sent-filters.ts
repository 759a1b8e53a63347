import { Collection, Db, type Document } from 'mongodb';
import { type CollectionLayouts, layoutOf } from '../mongo/collection-layout';

/** Filter of a command that a service sends. */
export interface SentFilter {
  readonly service: string;
  readonly collection: string;
  /** Method of the driver: `updateOne`. */
  readonly method: string;
  readonly filter: Document;
}

const singleWrites: ReadonlySet<string> = new Set([
  'updateOne',
  'replaceOne',
  'deleteOne',
  'findOneAndUpdate',
  'findOneAndReplace',
  'findOneAndDelete',
]);

// The deletion of an environment visits every collection, and retention deletes by ids.
const anywhere: ReadonlySet<string> = new Set(['find', 'find environmentId', 'find _id']);
const deletionById = /^deleteMany .*\b_id\b/;

/**
 * Returns the problem of a filter in a sharded cluster; undefined if its collection stays on one
 * shard, if it names the shard key, or if the layout lists it as a read that asks every shard.
 */
export function filterProblem(
  layouts: CollectionLayouts,
  { collection, method, filter }: Omit<SentFilter, 'service'>,
): string | undefined {
  const layout = layoutOf(layouts, collection);
  if (layout === undefined) return `${collection} has no layout`;
  const { shardKey, scatter } = layout;
  const named = flattened(filter);
  if (shardKey === undefined || Object.keys(shardKey).every((field) => isOne(named[field]))) {
    return undefined;
  }
  const fields = Object.keys(named).toSorted();
  const sent = [method, ...fields].join(' ');
  const isListed =
    !singleWrites.has(method) &&
    (deletionById.test(sent) ||
      (anywhere.has(sent) && !isOne(named['_id'])) ||
      Object.keys(scatter).some((key) => key.split(' ').every((field) => field in named)));
  return isListed ? undefined : `${collection}: ${sent} does not name the shard key`;
}

function flattened(filter: Document): Document {
  const { $and: all = [], ...rest } = filter;
  return Object.assign({}, rest, ...(all as Document[]).map(flattened)) as Document;
}

/** True for a value, or a list of values, but no range. */
function isOne(value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value !== 'object' || value === null) return true;
  const [operator] = Object.keys(value);
  return operator?.startsWith('$') !== true || operator === '$in' || operator === '$eq';
}

type Method = (this: Collection, ...args: unknown[]) => unknown;
type FiltersOf = (args: readonly unknown[]) => readonly unknown[];

const firstArgument: FiltersOf = ([filter]) => [filter];

const filtersOf: Readonly<Record<string, FiltersOf>> = {
  find: firstArgument,
  countDocuments: firstArgument,
  updateOne: firstArgument,
  updateMany: firstArgument,
  replaceOne: firstArgument,
  deleteOne: firstArgument,
  deleteMany: firstArgument,
  findOneAndUpdate: firstArgument,
  findOneAndReplace: firstArgument,
  findOneAndDelete: firstArgument,
  distinct: ([, filter]) => [filter],
  aggregate: ([pipeline]) => [(pipeline as Document[])[0]?.['$match']],
};

/**
 * Reports the filters that code in this process sends on connections of services. A findOne is
 * reported as the find that it sends.
 */
export function observeFilters(report: (sent: SentFilter) => void): void {
  const send = ({ client }: Db, collection: string, method: string, filter: unknown) => {
    const [, service] = /^billing-(.+)$/.exec(client.options.appName ?? '') ?? [];
    if (service === undefined) return;
    report({ service, collection, method, filter: filter ?? {} });
  };
  const methods = Collection.prototype as unknown as Record<string, Method>;
  const observe = (name: string, before: (collection: Collection, args: unknown[]) => void) => {
    const own = methods[name];
    if (own === undefined) throw new Error(`The driver has no ${name}`);
    methods[name] = function (...args) {
      before(this, args);
      return own.apply(this, args);
    };
  };
  for (const [name, filters] of Object.entries(filtersOf)) {
    observe(name, ({ db, collectionName }, args) => {
      for (const filter of filters(args)) send(db, collectionName, name, filter);
    });
  }
  observe('aggregate', ({ db }, [pipeline]) => {
    for (const { $unionWith: union } of pipeline as Document[]) {
      const { coll, pipeline: stages } = (union ?? {}) as { coll?: string; pipeline?: Document[] };
      if (coll !== undefined) send(db, coll, 'aggregate', stages?.[0]?.['$match']);
    }
  });
  observe('bulkWrite', ({ db, collectionName }, [operations]) => {
    for (const operation of operations as Record<string, Document>[]) {
      for (const [name, { filter }] of Object.entries(operation)) {
        if (filter !== undefined) send(db, collectionName, name, filter);
      }
    }
  });
  // The chassis sends a findOne as a bare command.
  const { prototype } = Db;
  const command: Db['command'] = Reflect.get(prototype, 'command');
  prototype.command = function (this: Db, sent: Document, ...rest: never[]) {
    const { find: collection, filter } = sent;
    if (typeof collection === 'string') send(this, collection, 'find', filter);
    return command.call(this, sent, ...rest);
  };
}
