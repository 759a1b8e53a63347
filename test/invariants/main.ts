import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ApiClient } from '../api-client';
import { takePicture } from './collection';
import { examineAll, findingsOf, toTable } from './report';

const usage = `Usage: npm run check:invariants -- --system <file>
       npm run check:invariants -- --url <gateway> --key <key> [--stranger-key <key>] [--address <service>=<address>]…
  --system        what \`npm start -- --json\` printed: examines its first sandbox, or the environment of --key
  --url           of the gateway, e.g. http://127.0.0.1:3000
  --key           opens the environment that is examined
  --stranger-key  opens another one, which must see nothing of it
  --address       of a service past the gateway, e.g. subscription=unix:/run/subscription.sock; with those of all services their event
                  logs and outboxes are examined too`;

interface Site {
  readonly url: string;
  readonly key: string;
  readonly strangerKey: string | undefined;
  readonly addresses: Readonly<Record<string, string>> | undefined;
}

/** Prints the verdict on each invariant; ends with 1 where anything is wrong, with 2 where it was called wrongly. */
async function main(): Promise<number> {
  const site = readSite();
  if (site === undefined) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const { url, key, strangerKey, addresses } = site;
  const picture = await takePicture({
    client: new ApiClient(url, key),
    addresses,
    stranger: strangerKey === undefined ? undefined : new ApiClient(url, strangerKey),
  });
  const verdicts = examineAll(picture);
  process.stdout.write(`${toTable(verdicts)}\n`);
  return findingsOf(verdicts).length > 0 ? 1 : 0;
}

function readSite(): Site | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      system: text,
      url: text,
      key: text,
      'stranger-key': text,
      address: { ...text, multiple: true },
    },
  });
  const { system, url, key, 'stranger-key': strangerKey, address } = values;
  if (system !== undefined) return siteOf(JSON.parse(readFileSync(system, 'utf8')), key);
  if (url === undefined || key === undefined) return undefined;
  return { url, key, strangerKey, addresses: address && readAddresses(address) };
}

function siteOf({ gatewayUrl, liveKey, testKey, addresses }: any, key = testKey): Site {
  return { url: gatewayUrl, key, strangerKey: key === liveKey ? testKey : liveKey, addresses };
}

function readAddresses(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const separator = pair.indexOf('=');
      return [pair.slice(0, separator), pair.slice(separator + 1)];
    }),
  );
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
