import { CommandFailure } from '../terminal/failure';
import type { Profile } from './profiles';

const timeoutMs = 30_000;

/** Facts that a server tells without a key. */
export interface ServerRoot {
  readonly date: Date;
  readonly version: string | undefined;
}

/** Reads the root address of a server. */
export async function readServerRoot({ url }: Pick<Profile, 'url'>): Promise<ServerRoot> {
  const answer = await readOpenly(url, '/', 'application/json');
  const root: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  if (typeof root !== 'object' || root === null) {
    throw new CommandFailure(`${url} is not a billing server: it answers ${String(answer.status)}`);
  }
  const { version } = root as { version?: string };
  return { date: new Date(answer.headers.get('date') ?? Number.NaN), version };
}

/** Reads all guides of a server; undefined if it has none. */
export async function readGuides({ url }: Pick<Profile, 'url'>): Promise<string | undefined> {
  const answer = await readOpenly(url, '/llms-full.txt', 'text/plain');
  return answer.ok ? await answer.text() : undefined;
}

/** Requests without the key. */
async function readOpenly(url: string, path: string, accept: string): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    return await fetch(`${url.replace(/\/+$/, '')}${path}`, { headers: { accept }, signal });
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    throw new CommandFailure(`${url} does not answer${code === undefined ? '' : ` (${code})`}`);
  }
}
