import { BillingError } from '@billing/client';
import { readClock } from '../session/clock';
import { CommandFailure, wrongUsage } from '../terminal/failure';
import { printFields, printRows } from '../terminal/output';
import { isLiveKey, readProfiles, writeProfiles } from '../session/profiles';
import { openSession, sessionOf, type SharedFlags } from '../session/session';
import { readServerRoot } from '../session/server-root';
import { readSecret, say, type Terminal } from '../terminal/terminal';
import { release } from '../session/release';

const defaultUrl = 'http://127.0.0.1:3000';

/** Reads a key, tries it, and stores it as a profile. */
export async function login(
  terminal: Terminal,
  flags: SharedFlags & { readonly url?: string },
): Promise<void> {
  const url = readUrl(flags.url ?? (terminal.env['BILLING_URL'] || defaultUrl));
  const key = await readSecret(terminal, 'API key: ');
  if (key === '') throw wrongUsage('No key was given');
  await mustBeAccepted(url, key);
  const name = flags.profile ?? 'default';
  const { profiles } = await readProfiles(terminal);
  // The secret of forwarded events stays.
  const profile = { ...profiles[name], url, key };
  await writeProfiles(terminal, { current: name, profiles: { ...profiles, [name]: profile } });
  say(terminal, `Signed in to ${url} as profile ${name}`);
}

function readUrl(text: string): string {
  const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isWeb) throw wrongUsage(`URL must start with https:// or http://: ${text}`);
  return new URL(text).origin;
}

/** Throws unless the server knows the key; the key need not have the scope to read customers. */
async function mustBeAccepted(url: string, key: string): Promise<void> {
  try {
    const page = await sessionOf({ url, key }).api.customers.list({ perPage: 1 });
    if (!Array.isArray(page.data)) throw new CommandFailure(`${url} is not a billing server`);
  } catch (error) {
    if (error instanceof BillingError && error.status === 403) return;
    throw error;
  }
}

/** Removes a profile. */
export async function logout(terminal: Terminal, flags: SharedFlags): Promise<void> {
  const { current, profiles } = await readProfiles(terminal);
  const name = flags.profile ?? current;
  if (name === undefined || profiles[name] === undefined) {
    throw new CommandFailure('There is no such profile');
  }
  const rest = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
  // Another profile may be a live one: it must be chosen.
  const next = current === name ? undefined : current;
  await writeProfiles(terminal, { current: next, profiles: rest });
  say(terminal, `Removed profile ${name}`);
}

/** Lists the profiles. */
export async function listProfiles(terminal: Terminal, flags: SharedFlags): Promise<void> {
  const { current, profiles } = await readProfiles(terminal);
  const rows = Object.entries(profiles).map(([name, { url, key }]) => ({
    name,
    url,
    live: isLiveKey(key),
    current: name === current,
  }));
  printRows(terminal, rows, flags);
}

/** Shows what commands would use. */
export async function showStatus(terminal: Terminal, flags: SharedFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  const { isLive, name, url } = session;
  const { clock, now } = await readClock(session);
  const { version } = await readServerRoot({ url });
  printFields(
    terminal,
    {
      url,
      profile: name,
      environment: isLive ? 'live' : 'sandbox',
      clock,
      now,
      cli: release,
      server: version,
    },
    flags,
  );
}
