/**
 * Runs a check; `main` returns the exit status. Invalid flags and failures that leave the question
 * open exit with 2 and their message.
 */
export function runCheck(main: () => Promise<number>): void {
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 2;
    },
  );
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
