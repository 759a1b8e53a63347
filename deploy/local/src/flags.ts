import { parseArgs } from 'node:util';
import { type ServiceName, serviceNames } from './system/services';

/** Command line flags of `npm start`. */
export interface Flags {
  /** Prints one line of JSON on standard output for scripts, everything else on standard error. */
  json: boolean;
  /** Runs each service in a process of its own. */
  processes: boolean;
  /** Runs each service from its sources, in a process that restarts when they change. */
  watch: boolean;
  /** With `watch`: service that a debugger can attach to. */
  inspect: ServiceName | undefined;
  /** Public URL; absent: that of the environment. */
  url: string | undefined;
  /** Address of the gateway as `host:port`; absent: that of the environment. */
  listen: string | undefined;
  dataDir: string | undefined;
  archiveDir: string | undefined;
  /** Uses data again that a final backup has moved. */
  undoFinal: boolean;
}

export class FlagError extends Error {
  override readonly name = 'FlagError';
}

export const usage = `Usage: npm start -- [--json] [--processes | --watch [--inspect <service>]]
                    [--url <url>] [--listen <host:port> | --port <port>] [--data <folder>] [--archive <folder>]
                    [--undo-final]
  --json        print one line of JSON on standard output once the system is ready
  --processes   run each service in a process of its own
  --watch       run each service from its sources, in a process that restarts when they change
  --inspect     let a debugger attach to this service on 127.0.0.1:9229
  --url         public URL (BILLING_URL; default http://127.0.0.1:<port>)
  --listen      the gateway's address (BILLING_LISTEN; default 127.0.0.1:3000; port 0: any free one)
  --port        the same on 127.0.0.1
  --data        folder of data, keys and logs (BILLING_DATA; default .data)
  --archive     folder of the archived write-ahead log (BILLING_ARCHIVE; default none)
  --undo-final  use data again that a final backup has moved`;

const PORT_MAX = 65_535;

export function parseFlags(args: readonly string[]): Flags {
  const values = read(args);
  if (values.port !== undefined && values.listen !== undefined) {
    throw new FlagError('--port and --listen exclude each other');
  }
  if (values.listen !== undefined && !isListenAddress(values.listen)) {
    throw new FlagError(`--listen must be ${listenAddressForm}`);
  }
  if (values.inspect !== undefined && !values.watch) throw new FlagError('--inspect needs --watch');
  for (const name of ['data', 'archive'] as const) {
    if (values[name] === '') throw new FlagError(`--${name} must name a folder`);
  }
  return {
    json: values.json,
    processes: values.processes || values.watch,
    watch: values.watch,
    inspect: serviceOf(values.inspect),
    url: values.url,
    listen: values.listen ?? listenOnLoopback(values.port),
    dataDir: values.data,
    archiveDir: values.archive,
    undoFinal: values['undo-final'],
  };
}

function serviceOf(name: string | undefined): ServiceName | undefined {
  const service = serviceNames.find((known) => known === name);
  if (name !== undefined && service === undefined) {
    throw new FlagError(`--inspect must be one of ${serviceNames.join(', ')}`);
  }
  return service;
}

export const listenAddressForm = 'host:port or [v6]:port';

/** True for `host:port` and `[v6]:port`. */
export function isListenAddress(text: string): boolean {
  const port = /^(?:[^\s/:[\]]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(text)?.[1];
  return port !== undefined && Number(port) <= PORT_MAX;
}

function listenOnLoopback(port: string | undefined): string | undefined {
  if (port === undefined) return undefined;
  if (!/^\d+$/.test(port) || Number(port) > PORT_MAX) {
    throw new FlagError(`--port must be a whole number from 0 to ${String(PORT_MAX)}`);
  }
  return `127.0.0.1:${String(Number(port))}`;
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
        inspect: { type: 'string' },
        url: { type: 'string' },
        listen: { type: 'string' },
        port: { type: 'string' },
        data: { type: 'string' },
        archive: { type: 'string' },
        'undo-final': { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
