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
  /** Writes the body; returns the values of the trailers. Ends early when the signal aborts. */
  readonly write: (sink: Sink, signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
}

/** A streamed body with trailers. A body that fails breaks the connection and has no trailers. */
export class StreamedBody {
  constructor(private readonly options: StreamedBodyOptions) {}

  /** Sends the response. Rejects after it has broken the connection. */
  async send(response: Response, { status, headers = {} }: ApiAnswer): Promise<void> {
    const { trailers, timeoutMs, write } = this.options;
    const { method, httpVersion } = response.req;
    // Only chunks can have trailers; HTTP/1.0 has neither.
    const hasTrailers = trailers.length > 0 && method !== 'HEAD' && httpVersion === '1.1';
    const announced = hasTrailers ? { Trailer: trailers.join(', ') } : {};
    response.writeHead(status, { ...headers, ...announced });
    if (method === 'HEAD') return void response.end();
    response.flushHeaders();
    const ended = new AbortController();
    const end = () => {
      ended.abort(new DeadlineExceededError());
    };
    const timer = setTimeout(end, timeoutMs);
    response.once('close', end);
    try {
      response.addTrailers(await write(sinkOf(response, ended.signal), ended.signal));
      response.end();
    } catch (error) {
      response.destroy();
      // After an abort, the error only shows that the reader has left or the time is over.
      throw ended.signal.aborted ? new DeadlineExceededError() : error;
    } finally {
      clearTimeout(timer);
      response.off('close', end);
    }
  }
}

function sinkOf(response: Response, signal: AbortSignal): Sink {
  return async (chunk) => {
    signal.throwIfAborted();
    if (response.write(chunk)) return;
    await once(response, 'drain', { signal });
  };
}
