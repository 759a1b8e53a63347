import { BillingError } from '@billing/client';
import { CommandFailure } from '../terminal/failure';
import { isForPerson } from '../terminal/output';
import { release } from '../session/release';
import { readServerRoot } from '../session/server-root';
import { openSession, type Session, type SharedFlags } from '../session/session';
import { print, type Terminal } from '../terminal/terminal';

const clockDifferenceMsMax = 5_000;
const notReadable = 'not readable with this key';

/** A check prints what it found; its failure fails the command. */
type Check = (session: Session, terminal: Terminal) => Promise<string>;

const checks: readonly (readonly [name: string, check: Check])[] = [
  ['server', reachable],
  ['TLS', encrypted],
  ['clock', sameTime],
  ['release', sameRelease],
  ['key', keyWorks],
  ['endpoints', endpointsEnabled],
  ['gaps', noGaps],
];

/** Checks what integrations depend on, in one line each. */
export async function examine(terminal: Terminal, flags: SharedFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  let failures = 0;
  for (const [name, check] of checks) {
    const { isOk, found } = await check(session, terminal).then(
      (text) => ({ isOk: true, found: text }),
      (error: unknown) => ({ isOk: false, found: (error as Error).message }),
    );
    if (!isOk) failures += 1;
    const line = `${isOk ? 'ok  ' : 'FAIL'}  ${name}: ${found}`;
    const fields = { check: name, ok: isOk, found };
    print(terminal, isForPerson(terminal, flags) ? line : JSON.stringify(fields));
  }
  if (failures > 0) throw new CommandFailure(`${String(failures)} checks failed`);
}

async function reachable(session: Session): Promise<string> {
  await readServerRoot(session);
  return `${session.url} answers`;
}

/** A certificate that is not trusted makes the server unreachable. */
async function encrypted({ url }: Session): Promise<string> {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return 'used';
  if (!/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) {
    throw new Error('not used: others on the way can read the key');
  }
  return 'not used, on this machine';
}

async function sameTime(session: Session, terminal: Terminal): Promise<string> {
  const sentMs = terminal.now().getTime();
  const { date } = await readServerRoot(session);
  const serverMs = date.getTime();
  // The server's time is in whole seconds, and of a moment between the request and its answer.
  const differenceMs = Math.max(0, sentMs - serverMs - 1_000, serverMs - terminal.now().getTime());
  const seconds = Math.floor(differenceMs / 1_000);
  if (!(differenceMs <= clockDifferenceMsMax)) {
    throw new Error(`differs from the server's by ${String(seconds)} s`);
  }
  return `differs from the server's by ${String(seconds)} s`;
}

async function sameRelease(session: Session): Promise<string> {
  const { version } = await readServerRoot(session);
  const [own, other] = [release, version ?? ''].map((one) => /^(\d+)\.(\d+)\./.exec(one));
  const found = `client ${release}, server ${version ?? 'unknown'}`;
  if (!other || !own) throw new Error(`${found}: cannot be compared`);
  const isNear = own[1] === other[1] && Math.abs(Number(own[2]) - Number(other[2])) <= 1;
  if (!isNear) throw new Error(`${found}: more than one minor release apart`);
  return found;
}

async function keyWorks({ api, key, isLive }: Session): Promise<string> {
  await allowed(api.customers.list({ perPage: 1 }));
  return `accepted, ${isLive ? 'live' : 'sandbox'}, ${await scopesOf(api, key)}`;
}

/** The API shows the beginning and the last characters of each key. */
async function scopesOf(api: Session['api'], key: string): Promise<string> {
  const keys = await allowed(all(api.apiKeys.list()));
  if (keys === undefined) return 'scopes not readable with this key';
  const own = keys.find(
    ({ prefix, last4, revokedAt }) =>
      revokedAt === null && key.startsWith(prefix) && key.endsWith(last4),
  );
  if (own === undefined) return 'scopes unknown';
  return own.scopes.length === 0 ? 'all scopes' : `scopes ${own.scopes.join(' ')}`;
}

async function endpointsEnabled({ api }: Session): Promise<string> {
  const endpoints = await allowed(all(api.webhookEndpoints.list()));
  if (endpoints === undefined) return notReadable;
  const disabled = endpoints.filter(({ active }) => !active);
  if (disabled.length > 0) {
    throw new Error(`disabled: ${disabled.map(({ url }) => url).join(', ')}`);
  }
  return `${String(endpoints.length)} enabled`;
}

async function noGaps({ api }: Session): Promise<string> {
  const endpoints = await allowed(all(api.webhookEndpoints.list()));
  if (endpoints === undefined) return notReadable;
  const counts = await Promise.all(
    endpoints.map(async ({ id, url }) => {
      const gaps = await api.webhookEndpoints.listGaps(id);
      return gaps.length === 0 ? [] : [`${url} has ${String(gaps.length)}`];
    }),
  );
  const found = counts.flat();
  if (found.length > 0) throw new Error(found.join(', '));
  return 'none';
}

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items = [];
  for await (const item of list) items.push(item);
  return items;
}

/** A key may lack the scope. */
async function allowed<T>(reading: PromiseLike<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof BillingError && error.status === 403) return undefined;
    throw error;
  }
}
