import type { Readable } from 'node:stream';
import { type Clock, sleep } from '@billing/chassis/clock';
import { ConnectionPools, type ConnectionPoolsOptions } from './connection-pool';
import type { Outcome } from '../delivery/delivery';
import type { AddressPolicy } from '../endpoint/public-address';
import { readRetryAfter } from '../delivery/retry-schedule';

/** The destination of a webhook. */
export interface Target {
  readonly endpointId: string;
  readonly url: string;
  readonly policy: AddressPolicy;
}

/** `timeoutMs` bounds all of a POST: name resolution, connection, request, response. */
export interface WebhookClientOptions extends ConnectionPoolsOptions {
  readonly clock: Clock;
}

// The part of a response that is stored for the endpoint's owner.
const excerptBytes = 1_024;
// A response is read to its end so that the connection can be reused, up to this limit.
const answerBytesMax = 64 * 1_024;
// The status decides. A slowly sent body keeps a slot no longer than this.
const bodyTimeoutMs = 2_000;

/** Sends POSTs, and reads the needed parts of the responses. */
export class WebhookClient {
  private readonly pools: ConnectionPools;

  constructor(private readonly options: WebhookClientOptions) {
    this.pools = new ConnectionPools(options);
  }

  /** Never rejects: every error is an outcome. */
  async post(
    target: Target,
    {
      headers,
      body,
      signal,
    }: { headers: Record<string, string>; body: string; signal: AbortSignal },
  ): Promise<Outcome> {
    const { timeoutMs, clock } = this.options;
    const { endpointId, policy } = target;
    const url = new URL(target.url);
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await this.pools.poolOf({ endpointId, origin: url.origin, policy }).request({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers,
        body,
        signal: AbortSignal.any([timeout, signal]),
      });
      const retryAfter = answer.headers['retry-after'];
      return {
        kind: 'answered',
        status: answer.statusCode,
        body: await readInTime(answer.body),
        retryAfterMs: readRetryAfter([retryAfter].flat()[0], clock.now()),
      };
    } catch (error) {
      const isTimedOut = timeout.aborted || isConnectTimeout(error);
      return { kind: 'unanswered', error: isTimedOut ? 'Timed out' : describe(error) };
    }
  }

  async close(): Promise<void> {
    await this.pools.close();
  }
}

/** The beginning of a body, as far as it arrives in time. */
async function readInTime(body: Readable): Promise<string> {
  const ending = new AbortController();
  void sleep(bodyTimeoutMs, ending.signal).then(() => {
    if (!ending.signal.aborted) body.destroy();
  });
  try {
    return await readExcerpt(body);
  } finally {
    ending.abort();
  }
}

/**
 * The beginning of a body. The status has arrived and decides; a body that breaks off changes
 * nothing.
 */
async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (bytes < excerptBytes) kept.push(chunk);
      bytes += chunk.length;
      if (bytes > answerBytesMax) break;
    }
  } catch {
    // The part that has arrived is shown.
  }
  return Buffer.concat(kept).subarray(0, excerptBytes).toString('utf8').replaceAll('\0', '\uFFFD');
}

// A connection has as much time as the whole POST, so either timeout may fire first.
function isConnectTimeout(error: unknown): boolean {
  return (error as Partial<NodeJS.ErrnoException>).code === 'UND_ERR_CONNECT_TIMEOUT';
}

/** The error shown to the endpoint's owner: "connect ECONNREFUSED 203.0.113.7:443". */
function describe(error: unknown): string {
  const { errors, message, code, name } = error as Partial<AggregateError & NodeJS.ErrnoException>;
  // Several addresses were tried; the first failure represents all.
  if (errors !== undefined && errors.length > 0) return describe(errors[0]);
  return [message, code, name].find((text) => text !== undefined && text !== '') ?? 'Failed';
}
