import { join } from 'node:path';
import { runProcess } from '@billing/chassis/process';
import { exitStatuses } from '@billing/chassis/start-refusal';
import { toJsonLine, toText } from './announcement';
import { type Flags, FlagError, parseFlags, usage } from './flags';
import { launch } from './launcher';
import { leaveAtOnceWhile, stopWithParent } from './process/signals';

/** Root of the repository, at the same distance from sources and build output. */
const root = join(__dirname, '../../..');
const dataDirDefault = join(root, '.data');

function log(line: string): void {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}

function start(flags: Flags): void {
  stopWithParent();
  runProcess('launcher', () =>
    leaveAtOnceWhile(
      launch({
        flags,
        root,
        dataDirDefault,
        log,
        announce: (announcement) =>
          process.stdout.write(
            flags.json
              ? toJsonLine(announcement)
              : toText(announcement, { dataDirDefault, isTerminal: process.stdout.isTTY }),
          ),
      }),
    ),
  );
}

function main(words: readonly string[]): void {
  if (words.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  try {
    start(parseFlags(words));
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${error.message}\nnpm start -- --help shows all flags\n`);
    process.exitCode = exitStatuses.usage;
  }
}

main(process.argv.slice(2));
