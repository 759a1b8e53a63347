import { BillingError } from '@billing/client';
import { CommandFailure } from '../failure';
import { release } from '../release';
import { openSession, type Session, type SharedFlags } from '../session';
import { print, type Terminal } from '../terminal';

const clockDifferenceMsMax = 5_000;

/** A check prints what it found; its failure fails the command. */
type Check = (session: Session, terminal: Terminal) => Promise<string>;

const checks: readonly (readonly [name: string, check: Check])[] = [
  ['server', reachable],
  ['clock', sameTime],
  ['release', sameRelease],
  ['key', keyWorks],
  ['endpoints', endpointsWork],
];

/** Checks what integrations depend on, in one line each. */
export async function examine(terminal: Terminal, flags: SharedFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  let failures = 0;
  for (const [name, check] of checks) {
    const outcome = await check(session, terminal).then(
      (found) => ({ mark: 'ok  ', found }),
      (error: unknown) => ({ mark: 'FAIL', found: (error as Error).message }),
    );
    if (outcome.mark === 'FAIL') failures += 1;
    print(terminal, `${outcome.mark}  ${name}: ${outcome.found}`);
  }
  if (failures > 0) throw new CommandFailure(`${String(failures)} checks failed`);
}

async function rootOf({ url }: Session): Promise<{ date: Date; version: string | undefined }> {
  const answer = await fetch(url, { headers: { accept: 'application/json' } });
  const { version } = (await answer.json()) as { version?: string };
  return { date: new Date(answer.headers.get('date') ?? Number.NaN), version };
}

async function reachable(session: Session): Promise<string> {
  await rootOf(session);
  const isEncrypted = session.url.startsWith('https:');
  return `${session.url} answers${isEncrypted ? ' over TLS' : ', without TLS'}`;
}

async function sameTime(session: Session, terminal: Terminal): Promise<string> {
  const { date } = await rootOf(session);
  const differenceMs = Math.abs(date.getTime() - terminal.now().getTime());
  // The server's time is in whole seconds.
  const seconds = Math.floor(differenceMs / 1_000);
  if (!(differenceMs <= clockDifferenceMsMax)) {
    throw new Error(`differs from the server's by ${String(seconds)} s`);
  }
  return `differs from the server's by ${String(seconds)} s`;
}

async function sameRelease(session: Session): Promise<string> {
  const { version } = await rootOf(session);
  const [own, other] = [release, version ?? ''].map((one) => /^(\d+)\.(\d+)\./.exec(one));
  const found = `client ${release}, server ${version ?? 'unknown'}`;
  if (!other || !own) return found;
  const isNear = own[1] === other[1] && Math.abs(Number(own[2]) - Number(other[2])) <= 1;
  if (!isNear) throw new Error(`${found}: more than one minor release apart`);
  return found;
}

async function keyWorks({ api, isLive }: Session): Promise<string> {
  await allowed(api.customers.list({ perPage: 1 }));
  return isLive ? 'accepted, live' : 'accepted, sandbox';
}

async function endpointsWork({ api }: Session): Promise<string> {
  const page = await allowed(api.webhookEndpoints.list({ perPage: 100 }));
  if (page === undefined) return 'not readable with this key';
  const disabled = page.data.filter(({ active }) => !active);
  if (disabled.length > 0)
    throw new Error(`disabled: ${disabled.map(({ url }) => url).join(', ')}`);
  for (const { id, url } of page.data) {
    const gaps = await api.webhookEndpoints.listGaps(id);
    if (gaps.length > 0) throw new Error(`${url} has ${String(gaps.length)} gaps`);
  }
  return `${String(page.total)} enabled, without gaps`;
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
