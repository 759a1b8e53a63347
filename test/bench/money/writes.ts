import { MongoClient } from 'mongodb';
import { startSystem } from '@billing/local/system';
import type { CountTable } from '../report/bench';
import { add, CommandCounts } from '../figures/command-counts';
import { type MoneyOperationName, moneyWrites } from '../floors/money-writes';
import { documentsOf } from '../stage/floor-data';
import type { Stage } from '../stage/stage';
import { MoneySeed } from './money-seed';
import { until, untilQuiet, untilStill } from './quiet';

const counted = 20;

/** Exact: the documents that the system and its floor write for each operation. */
export async function countWrites(stage: Stage): Promise<CountTable> {
  stage.log(`Counting the documents of ${String(counted)} operations`);
  const commands = new CommandCounts();
  const variant = { databasePrefix: 'bench_counted', streamName: 'BENCH_counted' };
  const site = await stage.siteOf('counted', variant);
  const system = await commands.of(() => startSystem(site));
  const client = new MongoClient(site.mongodbUri, { promoteLongs: false });
  try {
    await client.connect();
    const keys = await stage.keysOf(system, site.runDir);
    const { gatewayUrl } = system;
    const seed = await MoneySeed.open({ gatewayUrl, keys, site }, client);
    const messages = documentsOf(client, `${site.databasePrefix}_notifier`, 'messages');
    const rows: string[][] = [];
    for (const operation of Object.keys(moneyWrites) as MoneyOperationName[]) {
      const creations = await seed.prepare(operation, counted);
      await untilQuiet(seed.invoices);
      await untilStill(messages);
      commands.written.clear();
      commands.start();
      for (const own of creations) await seed.send([own]);
      await untilQuiet(seed.invoices);
      const ofFloor = writesOfFloor(operation);
      await until(() => [...ofFloor].every(([name, count]) => countOf(commands, name) >= count));
      commands.stop();
      rows.push(...rowsOf(operation, { commands, ofFloor }));
    }
    return {
      title: `Documents written by ${String(counted)} operations, until all events are announced, including polls`,
      columns: ['operation', 'command', 'by the system', 'by the floor'],
      rows,
    };
  } finally {
    await client.close();
    await system.stop();
  }
}

function writesOfFloor(operation: MoneyOperationName): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, collection } of moneyWrites[operation].flat()) {
    add(counts, `mongodb ${kind === 'insert' ? kind : 'update'} ${collection}`, counted);
  }
  return counts;
}

function rowsOf(
  operation: MoneyOperationName,
  { commands, ofFloor }: { commands: CommandCounts; ofFloor: ReadonlyMap<string, number> },
): string[][] {
  return [...new Set([...ofFloor.keys(), ...commands.written.keys()])].map((name) => [
    operation,
    name.replace('mongodb ', ''),
    String(countOf(commands, name)),
    String(ofFloor.get(name) ?? 0),
  ]);
}

function countOf({ written }: CommandCounts, name: string): number {
  return written.get(name) ?? 0;
}
