import { Billing } from '@billing/client';
import { Transport } from '@billing/client/transport';
import { CommandFailure, exitStatus, wrongUsage } from '../terminal/failure';
import { isLiveKey, type Profile, readProfiles } from './profiles';
import type { OutputFlags } from '../terminal/output';
import { ask, isInteractive, type Terminal } from '../terminal/terminal';

/** The environment that a command uses. */
export interface Session extends Profile {
  /** Name of its profile; undefined if it comes from variables. */
  readonly name: string | undefined;
  readonly api: Billing;
  /** Sends requests that the program was given, such as those of `api`. */
  readonly transport: Transport;
  readonly isLive: boolean;
}

/** Flags of every command. */
export interface SharedFlags extends OutputFlags {
  readonly profile?: string;
  readonly live?: boolean;
}

/**
 * Opens the environment of `--profile`, else of `BILLING_API_KEY` and `BILLING_URL`, else of the
 * current profile.
 */
export async function openSession(terminal: Terminal, flags: SharedFlags): Promise<Session> {
  const { current, profiles } = await readProfiles(terminal);
  // An empty variable counts as absent.
  const [key, url] = ['BILLING_API_KEY', 'BILLING_URL'].map(
    (one) => terminal.env[one] || undefined,
  );
  const name = flags.profile ?? current;
  const stored = name === undefined ? undefined : profiles[name];
  if (flags.profile !== undefined && stored === undefined) {
    throw new CommandFailure(`There is no profile ${flags.profile}`, exitStatus.signedOut);
  }
  if (flags.profile === undefined && key === undefined && url !== undefined) {
    // The key of a profile is sent to no other server.
    if (stored !== undefined && stored.url !== originOf(url)) {
      throw wrongUsage('BILLING_URL needs BILLING_API_KEY: the profile has another URL');
    }
  }
  const fromVariables = flags.profile === undefined && key !== undefined;
  const profile = fromVariables ? { key, url: url ?? stored?.url } : stored;
  if (profile?.url === undefined) {
    const text = fromVariables ? 'BILLING_URL is missing' : 'Not signed in. Use: billing login';
    throw new CommandFailure(text, exitStatus.signedOut);
  }
  return sessionOf({ key: profile.key, url: profile.url }, fromVariables ? undefined : name);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** The session of a key. */
export function sessionOf({ key, url }: Pick<Profile, 'key' | 'url'>, name?: string): Session {
  const options = { apiKey: key, baseUrl: url };
  return {
    ...{ name, key, url, isLive: isLiveKey(key) },
    ...{ api: new Billing(options), transport: new Transport(options) },
  };
}

/** Asks before a change with a live key; without a terminal it needs `--live`. */
export async function confirmLive(
  terminal: Terminal,
  { isLive }: Pick<Session, 'isLive'>,
  flags: SharedFlags,
): Promise<void> {
  if (!isLive || flags.live === true) return;
  if (!isInteractive(terminal)) {
    throw new CommandFailure('A change with a live key needs --live', exitStatus.usage);
  }
  const answer = await ask(terminal, 'Type live to go on: ');
  if (answer.trim() !== 'live') throw new CommandFailure('Nothing was changed');
}
