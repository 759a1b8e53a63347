import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readAddresses, runCheck, wrongUsage } from '../command-line/check';
import { environmentOf, type ServiceAddresses } from '../invariants/service-logs';
import { checkUsage, lineOf, lineOfSpan, lineOfUncounted } from '../invariants/usage/hours';

const usage = `Usage: npm run check:usage -- --system <file> [--customer <id>] [--key <key>] [--repair]
       npm run check:usage -- --address metering=<address> [--address identity=<address> --customer <id> --key <key>] [--repair]
  --system    output of \`npm start -- --json\`
  --address   gRPC address of a service, e.g. metering=unix:/run/metering.sock
  --customer  checks one customer only, by default of the first sandbox of --system
  --key       key of the customer's environment
  --repair    sets hours that differ to what their events come to, and withdraws spans that differ from their hours; the next
              settlement bills the difference`;

interface Site {
  readonly addresses: ServiceAddresses;
  readonly customerId: string;
  readonly key: string | undefined;
  readonly repair: boolean;
}

/**
 * Counts stored hours of usage again from their events, and kept spans from their hours. Exits with
 * 1 if some differ and were not repaired.
 */
async function main(): Promise<number> {
  const { addresses, customerId, key, repair } = readSite();
  const environmentId =
    customerId === '' ? '' : (await environmentOf(addresses, key ?? '')).tenant.environmentId;
  const request = { environmentId, customerId, repair };
  let hours = 0;
  let spans = 0;
  let differing = 0;
  for await (const page of checkUsage(addresses.metering ?? '', request)) {
    hours += page.compared;
    spans += page.comparedSpans;
    const found = [
      ...page.mismatches.map((one) => ({ ...one, line: lineOf(one) })),
      ...page.spanMismatches.map((one) => ({ ...one, line: lineOfSpan(one) })),
      ...page.uncounted.map((one) => ({ ...one, line: lineOfUncounted(one) })),
    ];
    differing += found.length;
    for (const { environmentId: environment, line } of found) {
      process.stdout.write(`DIFFERS environment ${environment}, ${line}\n`);
    }
  }
  const outcome = `${String(differing)} ${repair ? 'repaired' : 'differ'}`;
  const compared = `${String(hours)} hours and ${String(spans)} spans compared`;
  process.stdout.write(`${compared}, ${outcome}\n`);
  return differing > 0 && !repair ? 1 : 0;
}

function readSite(): Site {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      system: text,
      address: { ...text, multiple: true },
      customer: text,
      key: text,
      repair: { type: 'boolean' },
    },
  });
  const { system, address = [], customer: customerId = '', repair = false } = values;
  const started =
    system === undefined
      ? undefined
      : (JSON.parse(readFileSync(system, 'utf8')) as {
          addresses: Record<string, string>;
          testKey?: string;
        });
  const addresses = { ...started?.addresses, ...readAddresses(address) };
  const key = values.key ?? started?.testKey;
  const hasCustomer = key !== undefined && addresses.identity !== undefined;
  if (addresses.metering === undefined || (customerId !== '' && !hasCustomer)) {
    throw wrongUsage('--system, or the addresses of metering and of the customer, are required');
  }
  return { addresses, customerId, key, repair };
}

runCheck(usage, main);
