import { parseArgs } from 'node:util';

/** Command line flags of `npm run shard`. */
export interface ShardFlags {
  /** Address of a mongos; undefined: only print the commands. */
  readonly uri: string | undefined;
  readonly databasePrefix: string;
}

export const usage = `Usage: npm run shard -- [--prefix <prefix>] [--run --uri <address of a mongos>]
  --prefix   prefix of the databases' names (default billing)
  --run      run the commands instead of printing them
  --uri      address of a mongos, as in MONGODB_URI`;

/** Returns undefined for wrong usage. */
export function parseShardFlags(args: readonly string[]): ShardFlags | undefined {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        prefix: { type: 'string', default: 'billing' },
        run: { type: 'boolean', default: false },
        uri: { type: 'string' },
      },
    }));
  } catch {
    return undefined;
  }
  const { prefix: databasePrefix, run: isRun, uri } = values;
  if (!/^[a-z0-9_]{1,40}$/.test(databasePrefix) || (isRun && uri === undefined)) return undefined;
  return { uri: isRun ? uri : undefined, databasePrefix };
}
