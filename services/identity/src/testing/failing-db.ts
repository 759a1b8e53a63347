import type { Collection, Db } from 'mongodb';

/** A database in which each call of a collection for which `failureOf` has an error fails. */
export function failingDb(
  db: Db,
  failureOf: (collection: string, method: string) => Error | undefined,
): Db {
  const failing = (collection: Collection) =>
    new Proxy(collection, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const failure = failureOf(target.collectionName, String(name));
          if (failure !== undefined) throw failure;
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  return new Proxy(db, {
    get: (target, name) =>
      name === 'collection'
        ? (collection: string) => failing(target.collection(collection))
        : (Reflect.get(target, name, target) as unknown),
  });
}
