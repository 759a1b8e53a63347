import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright-core';

interface Recorded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

// Belong to the connection, or follow from the body.
const ownHeaders = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];

/** Serves recorded responses from memory: the same bytes, without any work for them. */
export class Replay {
  private readonly responses = new Map<string, Recorded>();
  private readonly server = createServer((request, response) => {
    this.serve(request, response);
  });

  /** Records all that a page loads; the last response to each request is kept. */
  async record(page: Page, load: () => Promise<void>): Promise<void> {
    const received: Response[] = [];
    const onResponse = (response: Response) => {
      received.push(response);
    };
    page.on('response', onResponse);
    await load();
    page.off('response', onResponse);
    for (const response of received) {
      const { pathname, search } = new URL(response.url());
      const key = `${response.request().method()} ${pathname}${search}`;
      this.responses.set(key, await recordedOf(response));
    }
  }

  /** Starts to serve; returns the origin. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const recorded = this.responses.get(`${request.method ?? ''} ${request.url ?? ''}`);
    if (recorded === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { status, headers, body } = recorded;
    response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
  }
}

async function recordedOf(response: Response): Promise<Recorded> {
  const headers = await response.allHeaders();
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name));
  // The browser has unpacked it.
  const body = await response.body();
  return {
    status: response.status(),
    headers: Object.fromEntries(kept),
    body: headers['content-encoding'] === 'gzip' ? gzipSync(body) : body,
  };
}
