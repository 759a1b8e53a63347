import { parseArgs } from 'node:util';
import { runCheck, wrongUsage } from '../command-line/check';
import { ApiClient } from '../support/api-client';
import { OperatorClient } from '../support/operator-client';
import { isSame, type Recounted, recount } from './recount';

const usage = `Usage: npm run check:reports -- --url <gateway> --key <key> --environment <name> --email <address> --password <password>
  --url          of the gateway, e.g. http://127.0.0.1:3000
  --key          opens the sandbox whose reports are counted again
  --environment  its name or id, as the dashboard shows it
  --email        of an operator
  --password     likewise`;

/** Prints a line for each report; exits with 1 if a report differs from its recount. */
async function main(): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { url: text, key: text, environment: text, email: text, password: text },
  });
  const { url, key, environment, email, password } = values;
  if (url === undefined || key === undefined || environment === undefined) {
    throw wrongUsage('--url, --key and --environment are required');
  }
  const operator = await operatorIn(new OperatorClient(url), environment, { email, password });
  const reports = await recount({ client: new ApiClient(url, key), operator });
  for (const report of reports) process.stdout.write(`${lineOf(report)}\n`);
  return reports.every(isSame) ? 0 : 1;
}

async function operatorIn(
  client: OperatorClient,
  environment: string,
  credentials: object,
): Promise<OperatorClient> {
  const { status } = await client.api('POST', '/session', credentials);
  if (status !== 200) throw new Error(`Sign-in of the operator failed: ${String(status)}`);
  const { body } = await client.api('GET', '/session');
  const found = body.environments.filter((one: any) => [one.id, one.name].includes(environment));
  if (found.length !== 1)
    throw new Error(`${String(found.length)} environments match ${environment}`);
  return client.in(found[0].id);
}

function lineOf(report: Recounted): string {
  const { path, shown, counted } = report;
  if (isSame(report)) return `same    ${path}`;
  return `DIFFERS ${path}\n  shown   ${JSON.stringify(shown)}\n  counted ${JSON.stringify(counted)}`;
}

runCheck(usage, main);
