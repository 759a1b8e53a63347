import { CommandFailure, wrongUsage } from '../terminal/failure';
import { printFields, printRows } from '../terminal/output';
import { readInstant } from '../terminal/instant';
import { readProfiles, writeProfiles } from '../session/profiles';
import { confirmLive, openSession, type Session, type SharedFlags } from '../session/session';
import { say, type Terminal } from '../terminal/terminal';

/** Flags of `billing sandbox create`. */
export interface CreateFlags extends SharedFlags {
  readonly manual?: boolean;
  readonly startsAt?: string;
  readonly use?: boolean;
  readonly printKey?: boolean;
}

/** Creates a sandbox whose key is stored as a profile, or printed. */
export async function createSandbox(terminal: Terminal, flags: CreateFlags): Promise<void> {
  if (flags.use !== true && flags.printKey !== true) {
    throw wrongUsage('The key is shown once: choose --use or --print-key');
  }
  const startsAt = flags.startsAt && readInstant(flags.startsAt, terminal.now()).toISOString();
  const session = await openLive(terminal, flags);
  await confirmLive(terminal, session, flags);
  // The key is shown once: a folder that cannot keep it must fail before there is a sandbox.
  if (flags.use === true) await writeProfiles(terminal, await readProfiles(terminal));
  const { id, name, key, clock, now } = await session.api.sandboxes.create({
    clock: flags.manual === true ? 'MANUAL' : 'REAL',
    ...(startsAt !== undefined && { startsAt }),
  });
  if (key === null) {
    const advice = `Use: billing sandbox delete ${id}`;
    throw new CommandFailure(`The key of sandbox ${id} was shown before. ${advice}`);
  }
  say(terminal, `Created sandbox ${id}`);
  const profile = `sandbox-${id.slice(-6)}`;
  if (flags.use === true) {
    const { profiles } = await readProfiles(terminal);
    const next = { ...profiles, [profile]: { url: session.url, key } };
    await writeProfiles(terminal, { current: profile, profiles: next });
    say(terminal, `Commands now use profile ${profile}`);
  }
  const shownKey = flags.printKey === true ? { key } : {};
  printFields(terminal, { id, name, clock, now, ...shownKey }, flags);
}

/** Lists the sandboxes of the organization. */
export async function listSandboxes(terminal: Terminal, flags: SharedFlags): Promise<void> {
  const { api } = await openLive(terminal, flags);
  const rows = [];
  for await (const { id, name, clock, now } of api.sandboxes.list()) {
    rows.push({ id, name, clock, now });
  }
  printRows(terminal, rows, flags);
}

/** Deletes a sandbox. */
export async function deleteSandbox(
  terminal: Terminal,
  id: string,
  flags: SharedFlags,
): Promise<void> {
  const session = await openLive(terminal, flags);
  await confirmLive(terminal, session, flags);
  await session.api.sandboxes.delete(id);
  say(terminal, `Deleted sandbox ${id}`);
}

async function openLive(terminal: Terminal, flags: SharedFlags): Promise<Session> {
  const session = await openSession(terminal, flags);
  if (!session.isLive) throw new CommandFailure('Sandboxes need a live key: use --profile');
  return session;
}
