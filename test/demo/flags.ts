import { parseArgs } from 'node:util';
import { peopleMax } from './people';

/** The command-line flags of `npm run demo`. */
export interface Flags {
  readonly url: string;
  /** Key of the live environment; undefined: the one in the data folder. */
  readonly key: string | undefined;
  readonly dataDir: string;
  /** Key of an existing sandbox to resume; undefined: a new one is created. */
  readonly sandboxKey: string | undefined;
  readonly seed: string;
  readonly customers: number;
  readonly months: number;
}

export class FlagError extends Error {
  override readonly name = 'FlagError';
}

export const usage = `Usage: npm run demo -- [--url <gateway>] [--key <live key>] [--sandbox <key>] [--seed <text>] …
  --url        URL of a running gateway (default http://127.0.0.1:3000)
  --key        live key that creates the sandbox (default: BILLING_LIVE_KEY, otherwise the one in the data folder)
  --data       data folder of \`npm start\` with its live key (default .data)
  --sandbox    key of a sandbox, to resume an interrupted run
  --seed       seed of the plan (default 1)
  --customers  number of customers (default 200)
  --months     number of months up to today (default 13)`;

const monthsMax = 36;

export function parseFlags(
  args: readonly string[],
  { dataDir, liveKey }: { dataDir: string; liveKey: string | undefined },
): Flags {
  const values = read(args);
  return {
    url: values.url.replace(/\/$/, ''),
    key: values.key ?? liveKey,
    dataDir: values.data ?? dataDir,
    sandboxKey: values.sandbox,
    seed: values.seed,
    customers: integerOf('customers', values.customers, peopleMax),
    months: integerOf('months', values.months, monthsMax),
  };
}

function read(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: { ...text, default: 'http://127.0.0.1:3000' },
        key: text,
        data: text,
        sandbox: text,
        seed: { ...text, default: '1' },
        customers: { ...text, default: '200' },
        months: { ...text, default: '13' },
      },
    }).values;
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function integerOf(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max) {
    throw new FlagError(`--${name} must be a whole number from 1 to ${String(max)}`);
  }
  return value;
}
