import { setTimeout as pause } from 'node:timers/promises';
import { BillingConnectionError, BillingError } from '@billing/client';
import { CommandFailure, wrongUsage } from '../terminal/failure';
import { feedCursor } from '../session/feed';
import { isForPerson } from '../terminal/output';
import { readProfiles, writeProfiles } from '../session/profiles';
import { openSession, type Session, type SharedFlags } from '../session/session';
import { newSecret, webhookHeaders } from './signature';
import { print, say, type Terminal } from '../terminal/terminal';

/** Flags of `billing listen`. */
export interface ListenFlags extends SharedFlags {
  readonly forwardTo?: string;
  readonly events?: string;
  readonly after?: string;
}

const waitSeconds = 20;
const reconnectMs = 1_000;
const forwardTimeoutMs = 30_000;
// Waits before the second and the third attempt to forward an event.
const repeatsMs = [1_000, 5_000];

/** An event of the feed. */
interface FeedEvent {
  readonly id: string;
  readonly type: string;
}

/**
 * Prints every event of the environment in the order of its feed, and forwards each before it is
 * printed. Runs until it is stopped; the server keeps nothing of it.
 */
export async function listen(terminal: Terminal, flags: ListenFlags): Promise<void> {
  if (flags.forwardTo !== undefined && !URL.canParse(flags.forwardTo)) {
    throw wrongUsage(`${flags.forwardTo} is no URL`);
  }
  const session = await openSession(terminal, flags);
  let after = flags.after ?? (await read(session, { limit: 1 })).newest;
  const forward = await forwarder(terminal, session, flags);
  say(terminal, `Listening after ${after}`);
  const types = flags.events === undefined ? {} : { types: flags.events };
  for (;;) {
    const page = await readPatiently(terminal, session, { after, wait: waitSeconds, ...types });
    for (const { position, event } of page.data) {
      const cursor = feedCursor(page.nextAfter, position);
      if (event !== null)
        await show(terminal, {
          ...{ cursor, forward, isJson: flags.json },
          event: event as unknown as FeedEvent,
        });
    }
    after = page.nextAfter;
  }
}

type Forward = (event: FeedEvent) => Promise<string>;

async function show(
  terminal: Terminal,
  {
    cursor,
    event,
    forward,
    isJson,
  }: {
    cursor: string;
    event: FeedEvent;
    forward: Forward | undefined;
    isJson: boolean | undefined;
  },
): Promise<void> {
  const answer = forward && (await forward(event));
  const line = [cursor, event.type, event.id, ...(answer === undefined ? [] : [answer])].join('  ');
  const fields = {
    cursor,
    type: event.type,
    id: event.id,
    ...(answer !== undefined && { answer }),
  };
  print(terminal, isForPerson(terminal, { json: isJson }) ? line : JSON.stringify(fields));
}

type FeedQuery = Parameters<Session['api']['webhookEvents']['list']>[0];

async function read({ api }: Session, query: FeedQuery) {
  try {
    return await api.webhookEvents.list(query);
  } catch (error) {
    if (!(error instanceof BillingError) || error.status !== 404) throw error;
    throw new CommandFailure('This server has no event feed; update it');
  }
}

/** Reads until the server answers; a restart of the server only delays events. */
async function readPatiently(terminal: Terminal, session: Session, query: FeedQuery) {
  for (let failures = 0; ; failures += 1) {
    try {
      return await read(session, query);
    } catch (error) {
      const isAway = error instanceof BillingError && (error.status >= 500 || error.status === 429);
      if (!isAway && !(error instanceof BillingConnectionError)) throw error;
      if (failures === 0) say(terminal, 'Connection lost, trying again');
      await pause(reconnectMs);
    }
  }
}

async function forwarder(
  terminal: Terminal,
  session: Session,
  { forwardTo }: ListenFlags,
): Promise<Forward | undefined> {
  if (forwardTo === undefined) return undefined;
  const secret = await secretOf(terminal, session);
  say(terminal, `Secret of the signatures: ${secret}`);
  return async (event) => {
    for (const waitMs of [...repeatsMs, undefined]) {
      const answer = await post(forwardTo, event, { secret, terminal });
      if (answer.isFinal || waitMs === undefined) return answer.text;
      await pause(waitMs);
    }
    return 'no answer';
  };
}

/** The secret stays the same for a profile. */
async function secretOf(terminal: Terminal, { name }: Session): Promise<string> {
  const { current, profiles } = await readProfiles(terminal);
  const profile = name === undefined ? undefined : profiles[name];
  if (name === undefined || profile === undefined) return newSecret();
  const listenSecret = profile.listenSecret ?? newSecret();
  await writeProfiles(terminal, {
    current,
    profiles: { ...profiles, [name]: { ...profile, listenSecret } },
  });
  return listenSecret;
}

async function post(
  url: string,
  event: FeedEvent,
  { secret, terminal }: { secret: string; terminal: Terminal },
): Promise<{ text: string; isFinal: boolean }> {
  const body = JSON.stringify(event);
  const timestamp = Math.floor(terminal.now().getTime() / 1_000);
  const headers = webhookHeaders({ ...event, body }, { secret, timestamp });
  try {
    const signal = AbortSignal.timeout(forwardTimeoutMs);
    const request = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
    const { status, body: answer } = await fetch(url, request);
    await answer?.cancel();
    return { text: String(status), isFinal: status < 500 };
  } catch {
    return { text: 'no answer', isFinal: false };
  }
}
