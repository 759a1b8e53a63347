import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@billing/chassis/ids';
import { ensureFirstKeys } from '@billing/local/first-keys';
import { identify } from '@billing/local/process-identity';
import { type RunningSystem, startSystem } from '@billing/local/system';
import {
  recordEnd,
  type SharedOrganization,
  type SharedSystem,
  shardKeyProblems,
  writeSharedSystem,
} from './shared-system';
import { checkShardKeys } from './shard-keys/shard-key-check';
import { siteIn, unlimited } from './test-site';

/**
 * Runs the system that the test files of one worker share. Writes its address to the file that the
 * first argument names, and creates an organization for each request. Ends with the worker.
 */
async function main(file: string): Promise<void> {
  const problems = checkShardKeys();
  const folder = await mkdtemp(join(tmpdir(), 'billing-s-'));
  const site = siteIn(folder, { settings: unlimited });
  const system = await startSystem(site);
  // With a timeout, a connection could close while a busy test file sends on it.
  const server = createServer({ keepAliveTimeout: 0 }, (_request, response) => {
    createOrganization(system, folder).then(
      (organization) => response.end(JSON.stringify(organization)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const shared: SharedSystem = {
    process: identify(process.pid)!,
    isEnding: false,
    organizationsUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    gatewayUrl: system.gatewayUrl,
    addresses: system.addresses,
    databases: { uri: site.mongodbUri, prefix: site.databasePrefix },
    logDir: site.logDir,
  };
  writeSharedSystem(file, shared);
  process.send?.('started');
  const stop = () => {
    recordEnd(file, process.pid);
    void system
      .stop()
      .then(() => writeFile(shardKeyProblems(file, process.pid), problems().join('\n')))
      .finally(() => rm(folder, { recursive: true, force: true }))
      .finally(() => process.exit());
  };
  process.once('disconnect', stop);
  process.once('SIGTERM', stop);
}

async function createOrganization(
  { addresses }: RunningSystem,
  folder: string,
): Promise<SharedOrganization> {
  const name = `Organization ${newId()}`;
  const dataDir = await mkdtemp(join(folder, 'keys-'));
  const { liveKey, testKey = '' } = await ensureFirstKeys(addresses.identity, dataDir, { name });
  return { name, liveKey, testKey };
}

void main(process.argv[2] ?? '');
