import { systemClock } from '@billing/chassis/clock';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { collectionsByService } from './collections';
import { serviceCollections, shardedCollections, shellCommands } from './commands';
import { parseShardFlags, type ShardFlags, usage } from './flags';
import { shardCluster } from './shard-cluster';

/** Prints the commands that shard all collections, or runs them. Returns the exit status. */
async function shard({ uri, databasePrefix }: ShardFlags): Promise<number> {
  const services = serviceCollections(collectionsByService, databasePrefix);
  const now = systemClock.now();
  const print = (line: string) => process.stdout.write(`${line}\n`);
  if (uri === undefined) {
    const collections = services.flatMap((one) => shardedCollections(one, { existing: [], now }));
    for (const command of shellCommands(collections)) print(command);
    return 0;
  }
  try {
    await shardCluster(uri, { services, now, log: print });
    return 0;
  } catch (error) {
    if (!(error instanceof StartRefusal)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error.exitStatus;
  }
}

async function main(): Promise<void> {
  const flags = parseShardFlags(process.argv.slice(2));
  if (flags === undefined) process.stderr.write(`${usage}\n`);
  process.exitCode = flags === undefined ? exitStatuses.usage : await shard(flags);
}

void main();
