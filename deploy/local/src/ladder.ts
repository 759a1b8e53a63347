/** One way to come by a server. */
export interface Way<Found> {
  /** Stable: remembered in the data folder, because data made by one way cannot be read by another. */
  name: string;
  description: string;
  /** Answers a running server, or fails with the reason why this way is closed here. */
  open: () => Promise<Found>;
}

export interface Taken<Found> {
  way: string;
  found: Found;
}

interface Climb<Found> {
  what: string;
  ways: readonly Way<Found>[];
  /** The way that this data folder was made with. */
  remembered: string | undefined;
  log: (line: string) => void;
}

/** Tries the ways in order and takes the first that is open; says what each did. */
export async function takeFirstOpenWay<Found>(climb: Climb<Found>): Promise<Taken<Found>> {
  const { what, remembered, log } = climb;
  const closed: string[] = [];
  for (const { name, description, open } of waysFor(climb)) {
    try {
      const found = await open();
      log(`${what}: ${description}`);
      return { way: name, found };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`${what}: not by ${description}: ${reason.split('\n')[0] ?? ''}`);
      closed.push(`- ${description}: ${reason}`);
    }
  }
  const made = remembered === undefined ? '' : ` (the data folder was made by "${remembered}")`;
  throw new Error(`No way to ${what} is open on this machine${made}:\n${closed.join('\n')}`);
}

/** An explicit address always counts; otherwise a folder with data stays with what made it. */
function waysFor<Found>({ ways, remembered }: Climb<Found>): readonly Way<Found>[] {
  if (remembered === undefined) return ways;
  return ways.filter(({ name }) => name === ADDRESS_GIVEN || name === remembered);
}

export const ADDRESS_GIVEN = 'address';
