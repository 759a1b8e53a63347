import { parseArgs } from 'node:util';

/** Command line flags of `npm start`. */
export interface Flags {
  /** Prints one line of JSON on standard output for scripts, everything else on standard error. */
  json: boolean;
  /** Runs each service in a process of its own. */
  processes: boolean;
  /** Runs each service from its sources, in a process that restarts when they change. */
  watch: boolean;
  /** Port of the gateway; 0 for any free one. */
  port: number;
  dataDir: string;
}

export class FlagError extends Error {
  override readonly name = 'FlagError';
}

export const usage = `Usage: npm start -- [--json] [--processes | --watch] [--port <port>] [--data <folder>]
  --json        print one line of JSON on standard output once the system is ready
  --processes   run each service in a process of its own
  --watch       run each service from its sources, in a process that restarts when they change
  --port        the gateway's port (default 3000; 0: any free one)
  --data        folder of data, keys and logs (default .data)`;

const PORT_DEFAULT = '3000';
const PORT_MAX = 65_535;

export function parseFlags(args: readonly string[], dataDirDefault: string): Flags {
  const values = read(args);
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > PORT_MAX) {
    throw new FlagError(`--port must be a whole number from 0 to ${String(PORT_MAX)}`);
  }
  if (values.data === '') throw new FlagError('--data must name a folder');
  return {
    json: values.json,
    processes: values.processes || values.watch,
    watch: values.watch,
    port,
    dataDir: values.data ?? dataDirDefault,
  };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        json: { type: 'boolean', default: false },
        processes: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: false },
        port: { type: 'string', default: PORT_DEFAULT },
        data: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
