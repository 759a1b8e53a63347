import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';

/**
 * Runs a check; `main` returns the exit status. Failures that leave the question open exit with
 * their message in one line: 2 after wrong usage, 75 if something needed is unreachable, 70 after
 * a bug.
 */
export function runCheck(usage: string, main: () => Promise<number>): void {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${messageOf(error)}\n`);
      process.exitCode = exitStatusOf(error);
    },
  );
}

/** Refusal of missing or contradicting flags. */
export function wrongUsage(message: string): StartRefusal {
  return new StartRefusal(exitStatuses.usage, `${message}; --help shows all flags`);
}

const bug = 70;
// Of connections that are refused, end, or find no server.
const unreachableCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'],
]);
// DEADLINE_EXCEEDED and UNAVAILABLE of gRPC.
const unreachableStatuses = new Set([4, 14]);

/** Exit status of a failure. */
export function exitStatusOf(error: unknown): number {
  for (const one of causesOf(error)) {
    if (one instanceof StartRefusal) return one.exitStatus;
    const { kind, code } = one as { kind?: unknown; code?: unknown };
    // A DomainError.
    if (kind === 'unavailable') return exitStatuses.busy;
    if (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_')) return exitStatuses.usage;
    if (typeof code === 'string' && unreachableCodes.has(code)) return exitStatuses.busy;
    if (typeof code === 'number' && unreachableStatuses.has(code)) return exitStatuses.busy;
  }
  return bug;
}

/** Message of a failure with those of its causes, in one line. */
export function messageOf(error: unknown): string {
  const messages = causesOf(error).map(({ message }) => message.split('\n')[0] ?? '');
  return messages.length === 0 ? String(error) : messages.filter((text) => text !== '').join(': ');
}

interface Failure {
  readonly message: string;
  readonly cause?: unknown;
  /** Errors of a connection to several addresses. */
  readonly errors?: readonly unknown[];
}

function causesOf(error: unknown): Failure[] {
  const causes: Failure[] = [];
  for (let next = error; isFailure(next); next = next.cause ?? next.errors?.[0]) causes.push(next);
  return causes;
}

function isFailure(error: unknown): error is Failure {
  return typeof error === 'object' && error !== null && 'message' in error;
}

/** Reads flags of the form `<service>=<address>`. */
export function readAddresses(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const separator = pair.indexOf('=');
      return [pair.slice(0, separator), pair.slice(separator + 1)];
    }),
  );
}
