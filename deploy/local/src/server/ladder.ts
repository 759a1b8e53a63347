import { appendFile } from 'node:fs/promises';
import { systemClock } from '@billing/chassis/clock';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';

/** One way to obtain a server. */
export interface Way<Found> {
  /** Stable name, stored in the data folder: other kinds of servers cannot read its data. */
  name: string;
  description: string;
  /** Returns a running server, or rejects with the reason why this way is not available. */
  open: () => Promise<Found>;
}

export interface Taken<Found> {
  way: string;
  found: Found;
}

interface Climb<Found> {
  what: string;
  ways: readonly Way<Found>[];
  /** The way that created this data folder. */
  remembered: string | undefined;
  log: (line: string) => void;
  /** File to which the full reasons go if no way is available. */
  reasonsFile: string;
}

// Errors for people have at most five lines.
const reasonsShownMax = 3;
const reasonCharactersMax = 160;

function shortened(reason: string): string {
  const [line = ''] = reason.split('\n');
  return line.length <= reasonCharactersMax ? line : `${line.slice(0, reasonCharactersMax)}…`;
}

/** Tries the ways in order and uses the first available one; logs the result of each. */
export async function takeFirstOpenWay<Found>(climb: Climb<Found>): Promise<Taken<Found>> {
  const { what, remembered, log, reasonsFile } = climb;
  const closed: string[] = [];
  for (const { name, description, open } of waysFor(climb)) {
    try {
      const found = await open();
      log(`${what}: ${description}`);
      return { way: name, found };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`${what}: skipped ${description}: ${reason.split('\n')[0] ?? ''}`);
      closed.push(`- ${description}: ${reason}`);
    }
  }
  const made = remembered === undefined ? '' : ` (the data folder was created by "${remembered}")`;
  const title = `${what} is not available on this machine${made}`;
  const at = systemClock.now().toISOString();
  const text = `${at} ${title}:\n${closed.join('\n')}\n`;
  await appendFile(reasonsFile, text, { mode: 0o600 });
  const shown = closed.slice(0, reasonsShownMax).map(shortened);
  const last = `The reasons of all ${String(closed.length)} ways are in ${reasonsFile}`;
  throw new StartRefusal(exitStatuses.busy, [`${title}:`, ...shown, last].join('\n'));
}

/**
 * An explicit address is always tried; otherwise a folder with data is limited to the way that
 * created it.
 */
function waysFor<Found>({ ways, remembered }: Climb<Found>): readonly Way<Found>[] {
  if (remembered === undefined) return ways;
  return ways.filter(({ name }) => name === ADDRESS_GIVEN || name === remembered);
}

export const ADDRESS_GIVEN = 'address';
