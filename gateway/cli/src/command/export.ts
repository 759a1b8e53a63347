import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { CommandFailure, wrongUsage } from '../terminal/failure';
import { release } from '../session/release';
import { openSession, type Session, type SharedFlags } from '../session/session';
import type { Terminal } from '../terminal/terminal';

/** Flags of `billing export`. */
export interface ExportFlags extends SharedFlags {
  readonly format?: string;
  readonly from?: string;
  readonly to?: string;
}

const formats = ['ndjson', 'csv'];
const endMissing = [
  'The export is incomplete: its end is missing.',
  'A proxy may have dropped its trailers. /v1/exports/all.zip needs none.',
].join('\n');

/**
 * Writes all objects of a resource to the standard output. Fails if the end of the export is
 * missing, or if its digest is not that of the output.
 */
export async function exportResource(
  terminal: Terminal,
  resource: string,
  flags: ExportFlags,
): Promise<void> {
  const { format = 'ndjson', from, to } = flags;
  if (!formats.includes(format)) throw wrongUsage(`The format is ${formats.join(' or ')}`);
  const session = await openSession(terminal, flags);
  const query = new URLSearchParams({
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
  const path = `/v1/exports/${encodeURIComponent(resource)}.${format}?${query.toString()}`;
  const response = await request(session, path);
  if (response.statusCode !== 200) throw await refusalOf(response);
  const digest = await copy(response, terminal);
  const { 'content-digest': expected } = response.trailers;
  if (!response.complete || expected === undefined) {
    throw new CommandFailure(endMissing);
  }
  if (expected !== `sha-256=:${digest}:`) {
    throw new CommandFailure('The export is damaged: its digest is wrong');
  }
}

/** Fetch does not show trailers. */
function request({ url, key }: Session, path: string): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${key}`, 'User-Agent': `billing-cli/${release}` };
  const target = new URL(`${url.replace(/\/$/, '')}${path}`);
  const get = target.protocol === 'https:' ? getHttps : getHttp;
  return new Promise((resolve, reject) => {
    get(target, { headers }, resolve).once('error', (error) => {
      reject(new CommandFailure(`${error.message}. Is the URL right? See: billing status`));
    });
  });
}

async function refusalOf(response: IncomingMessage): Promise<CommandFailure> {
  const { 'error-code': code, 'x-request-id': requestId } = response.headers;
  const body = await text(response);
  const named = code === undefined ? '' : ` (${String(code)})`;
  return new CommandFailure(`${messageOf(body)}${named}\nRequest ${String(requestId ?? '-')}`);
}

function messageOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { readonly error: unknown };
    return typeof error === 'string' ? error : JSON.stringify(error);
  } catch {
    return 'The server refused the export';
  }
}

/** Copies the body to the standard output; returns its SHA-256 in base64. */
async function copy(response: IncomingMessage, { output }: Terminal): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      hash.update(chunk);
      if (!output.write(chunk)) await once(output, 'drain');
    }
  } catch {
    throw new CommandFailure('The export is incomplete: the connection has ended');
  }
  return hash.digest('base64');
}
