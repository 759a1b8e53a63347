import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sleep } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import { Metrics } from '@billing/chassis/metrics';
import { readRunningSystem } from '@billing/local/running-system';
import { readAddresses, runCheck, wrongUsage } from '../command-line/check';
import { ApiClient } from '../support/api-client';
import { takePicture } from './collection';
import { examineAll, findingsOf, toTable, type Verdict } from './report';

const usage = `Usage: npm run check:invariants -- --system <file>
       npm run check:invariants -- --data <folder>
       npm run check:invariants -- --url <gateway> --key <key> [--stranger-key <key>] [--address <service>=<address>]… [--writes <file>]
  --system        output of \`npm start -- --json\`: checks its first sandbox, or the environment of --key
  --data          data folder of a running \`npm start\`: checks its live environment, or the environment of --key
  --url           URL of the gateway, e.g. http://127.0.0.1:3000
  --key           key of the checked environment
  --stranger-key  key of another environment, which must see nothing of it
  --address       gRPC address of a service, e.g. subscription=unix:/run/subscription.sock; with those of all services their event
                  logs and outboxes are checked, too
  --writes        acknowledged writes, one JSON object per line: {"path":"/customers/<id>","id":"<id>"}, or {"path":"…","id":null} for a
                  resource deleted since, or {"eventId":"<eventId>"} for a usage event; each must be found as it was acknowledged`;

const picturesMax = 3;
const betweenPicturesMs = 2_000;

interface Site {
  readonly url: string;
  readonly key: string;
  readonly strangerKey: string | undefined;
  readonly addresses: Readonly<Record<string, string>> | undefined;
  /** The file with acknowledged writes. */
  readonly writes: string | undefined;
}

/** Prints the verdict on each invariant; exits with 1 after a violation. */
async function main(): Promise<number> {
  const site = await readSite();
  const verdicts = await examine(site);
  process.stdout.write(`${toTable(verdicts)}\n`);
  const count = findingsOf(verdicts).length;
  await exportFindings({ count, live: isLiveKey(site.key) });
  return count > 0 ? 1 : 0;
}

/** Exports the number of findings, for an alert, if there is a collector. */
async function exportFindings(findings: Parameters<Metrics['observeFindings']>[0]): Promise<void> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint } = process.env;
  const logger = createLogger({ service: 'check-invariants', level: 'warn' });
  const metrics = new Metrics({ service: 'check-invariants', logger, otlpEndpoint });
  metrics.observeFindings(findings);
  await metrics.shutdown();
}

function isLiveKey(key: string): boolean {
  return key.startsWith('billing_live_');
}

/** Work in progress is no violation: a violation must occur in each of several pictures. */
async function examine({ url, key, strangerKey, addresses, writes }: Site): Promise<Verdict[]> {
  const client = new ApiClient(url, key);
  for (const write of writes === undefined ? [] : readWrites(writes)) {
    if ('eventId' in write) client.acknowledgedEvents.add(write.eventId);
    else client.acknowledged.set(write.path, write.id ?? undefined);
  }
  const stranger = strangerKey === undefined ? undefined : new ApiClient(url, strangerKey);
  for (let picture = 1; ; picture += 1) {
    const verdicts = examineAll(await takePicture({ client, addresses, stranger }));
    if (picture === picturesMax || findingsOf(verdicts).length === 0) return verdicts;
    await sleep(betweenPicturesMs);
  }
}

type Write = { path: string; id: string | null } | { eventId: string };

function readWrites(file: string): Write[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Write);
}

async function readSite(): Promise<Site> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      system: text,
      data: text,
      url: text,
      key: text,
      'stranger-key': text,
      address: { ...text, multiple: true },
      writes: text,
    },
  });
  const { system, data, url, key, 'stranger-key': strangerKey, address, writes } = values;
  if (system !== undefined) {
    return { ...siteOf(JSON.parse(readFileSync(system, 'utf8')), key), writes };
  }
  if (data !== undefined) {
    const running = await readRunningSystem(data);
    const keys = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8'));
    return { ...siteOf({ ...running, ...keys }, key ?? keys.liveKey), writes };
  }
  if (url === undefined || key === undefined) {
    throw wrongUsage('--system, --data, or --url and --key are required');
  }
  return { url, key, strangerKey, addresses: address && readAddresses(address), writes };
}

function siteOf(
  { gatewayUrl, liveKey, testKey, addresses }: any,
  key = testKey,
): Omit<Site, 'writes'> {
  return { url: gatewayUrl, key, strangerKey: key === liveKey ? testKey : liveKey, addresses };
}

runCheck(usage, main);
