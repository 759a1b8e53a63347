import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface WebhookBody {
  readonly type: string;
  readonly sequence: number;
  readonly restoreCode: string | null;
  readonly data: { readonly customer?: { readonly name: string | null } };
}

/** A received webhook. */
interface ReceivedWebhook {
  readonly id: string;
  readonly text: string;
  readonly body: WebhookBody;
}

/** A server that records the webhooks it receives, and accepts them. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  close(): Promise<void>;
}

/** Starts a receiver of webhooks, which outlives the systems that send them. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const body = JSON.parse(text) as WebhookBody;
      received.push({ id: String(request.headers['webhook-id']), text, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
