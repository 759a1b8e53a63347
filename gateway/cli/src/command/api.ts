import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { isApiPath, isJoinable } from '../session/api-path';
import { wrongUsage } from '../terminal/failure';
import { confirmLive, openSession, type SharedFlags } from '../session/session';
import { isForPerson } from '../terminal/output';
import { print, type Terminal } from '../terminal/terminal';

/** Flags of `billing api`. */
export interface ApiFlags extends SharedFlags {
  readonly data?: string;
  readonly header?: readonly string[];
}

const methods = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Sends one request and prints the body of its answer. */
export async function callApi(
  terminal: Terminal,
  [given, path]: readonly [string, string],
  flags: ApiFlags,
): Promise<void> {
  const method = given.toUpperCase();
  if (!methods.includes(method)) throw wrongUsage(`METHOD is one of ${methods.join(', ')}`);
  if (!isApiPath(path)) throw wrongUsage('PATH starts with /v1/');
  const headers = Object.fromEntries((flags.header ?? []).map(readHeader));
  const body = await readBody(terminal, flags.data);
  const session = await openSession(terminal, flags);
  if (method !== 'GET') await confirmLive(terminal, session, flags);
  const joins = isJoinable(path);
  const answer = await session.transport.send({ method, path, body, joins, options: { headers } });
  if (answer instanceof Uint8Array) terminal.output.write(answer);
  else if (answer !== undefined) {
    const indent = isForPerson(terminal, flags) ? 2 : undefined;
    print(terminal, JSON.stringify(answer, undefined, indent));
  }
}

function readHeader(header: string): [string, string] {
  const colon = header.indexOf(':');
  if (colon < 1) throw wrongUsage(`${header} is no header: write Name: value`);
  return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()];
}

async function readBody({ input }: Terminal, data: string | undefined): Promise<unknown> {
  if (data === undefined) return undefined;
  const json = data === '-' ? await text(input) : data.startsWith('@') ? await fileOf(data) : data;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw wrongUsage('--data is no JSON');
  }
}

async function fileOf(data: string): Promise<string> {
  try {
    return await readFile(data.slice(1), 'utf8');
  } catch {
    throw wrongUsage(`${data.slice(1)} cannot be read`);
  }
}
