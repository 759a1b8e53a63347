import type { Db } from 'mongodb';

const writes = new Set(['insertOne', 'updateOne', 'updateMany', 'insertMany', 'deleteOne']);

/** Error of a stopped process. Thrown only in crash tests. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * A database for a process that is stopped after a number of writes: the next write, and everything
 * after it, fails. With the provider's books in the same database this stops a process between any
 * two durable steps.
 */
export function stoppingAfter(db: Db, writesLeft: number): Db {
  const process = { writesLeft, isStopped: false };
  return wrapping(db, (name, call) =>
    name === 'collection' ? (...of) => stoppingCollection(call(...of) as object, process) : call,
  );
}

function stoppingCollection(
  collection: object,
  process: { writesLeft: number; isStopped: boolean },
): object {
  return wrapping(collection, (name, call) => (...of) => {
    if (writes.has(name)) {
      if (process.writesLeft === 0) process.isStopped = true;
      process.writesLeft -= 1;
    }
    if (process.isStopped) throw new Stopped(`Stopped before ${name}`);
    return call(...of);
  });
}

type Call = (...of: unknown[]) => unknown;

function wrapping<T extends object>(target: T, wrap: (name: string, call: Call) => Call): T {
  return new Proxy(target, {
    get: (of, name) => {
      const value = Reflect.get(of, name) as unknown;
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      return wrap(name, (value as Call).bind(of));
    },
  });
}
