import { once } from 'node:events';
import type { Response } from 'express';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import type { ApiAnswer } from './answer';

/** Receiver of a streamed body. Resolves once more may be written. */
export type Sink = (chunk: Uint8Array) => Promise<void>;

/** Body of unlimited length, which is written while it is read. */
export interface StreamedBodyOptions {
  /** Names of the trailers. */
  readonly trailers: readonly string[];
  /** Real time after which the connection is broken. */
  readonly timeoutMs: number;
  /** Real time after which a caller who reads nothing is disconnected. Default: 30 seconds. */
  readonly stalledAfterMs?: number;
  /** Writes the body; returns the values of the trailers. Ends early when the signal aborts. */
  readonly write: (sink: Sink, signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
}

/** Why a body ends early although nothing has failed. */
class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft';
}

/** Time without reading after which a caller is disconnected. */
export const stalledMs = 30_000;

/** A streamed body with trailers. A body that fails breaks the connection and has no trailers. */
export class StreamedBody {
  constructor(private readonly options: StreamedBodyOptions) {}

  /**
   * Sends the response. Rejects after it has broken the connection, unless the caller has left or
   * reads nothing.
   */
  async send(response: Response, { status, headers = {} }: ApiAnswer): Promise<void> {
    const { trailers, timeoutMs, stalledAfterMs = stalledMs, write } = this.options;
    const { method, httpVersion } = response.req;
    // Only chunks can have trailers; HTTP/1.0 has neither.
    const hasTrailers = trailers.length > 0 && method !== 'HEAD' && httpVersion === '1.1';
    const announced = hasTrailers ? { Trailer: trailers.join(', ') } : {};
    response.writeHead(status, { ...headers, ...announced });
    if (method === 'HEAD') return void response.end();
    response.flushHeaders();
    const ended = new AbortController();
    const { signal } = ended;
    const leave = () => {
      ended.abort(new ReaderLeft());
    };
    const timer = setTimeout(() => {
      ended.abort(new DeadlineExceededError());
    }, timeoutMs);
    response.once('close', leave);
    try {
      const sink = sinkOf(response, { signal, leave, stalledAfterMs });
      response.addTrailers(await write(sink, signal));
      response.end();
    } catch (error) {
      response.destroy();
      // After an abort, the error only shows that the reader has left or the time is over.
      const cause: unknown = signal.aborted ? signal.reason : error;
      if (!(cause instanceof ReaderLeft)) throw cause;
    } finally {
      clearTimeout(timer);
      response.off('close', leave);
    }
  }
}

interface SinkOptions {
  readonly signal: AbortSignal;
  /** Called when the caller reads nothing for `stalledAfterMs`. */
  readonly leave: () => void;
  readonly stalledAfterMs: number;
}

function sinkOf(response: Response, { signal, leave, stalledAfterMs }: SinkOptions): Sink {
  return async (chunk) => {
    signal.throwIfAborted();
    if (response.write(chunk)) return;
    const timer = setTimeout(leave, stalledAfterMs);
    try {
      await once(response, 'drain', { signal });
    } finally {
      clearTimeout(timer);
    }
  };
}
