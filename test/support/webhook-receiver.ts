import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received webhook. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact text of the body. */
  readonly text: string;
  readonly body: any;
}

/**
 * A real HTTP server that records what it receives. `respond` decides the status of each response.
 */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  respond: (webhook: ReceivedWebhook) => number;
  /** The body of every response. */
  says: string;
  close(): Promise<void>;
}

/** The first receipt of each message: a webhook arrives again if its answer was late. */
export function withoutRepeats(received: readonly ReceivedWebhook[]): ReceivedWebhook[] {
  const first = new Map<unknown, ReceivedWebhook>();
  for (const webhook of received) {
    const id = webhook.headers['webhook-id'];
    if (!first.has(id)) first.set(id, webhook);
  }
  return [...first.values()];
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  // Its port may have been another receiver's, to which an earlier test still sends.
  const ownPath = `/hook/${randomUUID()}`;
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url?.startsWith(ownPath) !== true) {
        response.writeHead(404).end();
        return;
      }
      const text = Buffer.concat(chunks).toString('utf8');
      const { url: path = '', headers } = request;
      const webhook = { path, headers, text, body: JSON.parse(text) };
      received.push(webhook);
      response.writeHead(receiver.respond(webhook)).end(receiver.says);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${String(port)}${ownPath}`,
    received,
    respond: () => 204,
    says: '',
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return receiver;
}
