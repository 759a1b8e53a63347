import type { Db } from 'mongodb';

const writes = new Set(['insertOne', 'updateOne', 'updateMany', 'insertMany', 'deleteOne']);

/** That a process was stopped. Only tests of crashes throw it. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * A database as a process sees it that makes so many writes and is then stopped: the next write, and everything after it, fails. With the
 * provider's books in the same database this stops a process between any two things that last.
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
