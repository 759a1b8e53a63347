import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@billing/chassis/ids';
import { type StripeAnswer, TestStripeAccount } from './stripe-account';

/**
 * Fault of a request: the request or its answer is lost, or it is refused before it has an effect.
 */
export type StripeFault = 'LOST' | 'ANSWER_LOST' | 'RATE_LIMITED' | 'BROKEN';

interface Remembered {
  readonly request: string;
  readonly answer: StripeAnswer;
}

/** Stripe's HTTP API over an account in memory, with idempotency keys and network faults. */
export class TestStripe {
  readonly account = new TestStripeAccount(newId().replaceAll('-', ''));
  /** Received requests, as `POST /v1/customers`. */
  readonly requests: string[] = [];
  /** Returns the fault of the request with this number, from 1. */
  faultAt: (request: number, call: string) => StripeFault | undefined = () => undefined;
  private keys = new Map<string, Remembered>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestStripe> {
    const server = createServer({ keepAliveTimeout: 0 });
    const stripe = new TestStripe(server);
    server.on('request', (request, response) => {
      void stripe.serve(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return stripe;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Drops all idempotency keys, as Stripe does after a day. */
  forgetKeys(): void {
    this.keys = new Map();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const { pathname, search } = new URL(url, 'http://stripe.test');
    const body = await readAll(request);
    const call = `${method} ${pathname}`;
    this.requests.push(call);
    const fault = this.faultAt(this.requests.length, call);
    if (fault === 'LOST') {
      request.socket.destroy();
      return;
    }
    const key = headers['idempotency-key'] as string | undefined;
    const fields = Object.fromEntries(new URLSearchParams(method === 'GET' ? search : body));
    const { answer, isReplayed } = this.answer({ method, pathname, fields, key, fault });
    if (fault === 'ANSWER_LOST') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'request-id': `req_${String(this.requests.length)}`,
      'stripe-should-retry': 'false',
      ...(isReplayed && { 'idempotent-replayed': 'true' }),
    });
    response.end(JSON.stringify(answer.body));
  }

  private answer(request: {
    readonly method: string;
    readonly pathname: string;
    readonly fields: Record<string, string>;
    readonly key: string | undefined;
    readonly fault: StripeFault | undefined;
  }): { answer: StripeAnswer; isReplayed: boolean } {
    const { method, pathname, fields, key, fault } = request;
    if (fault === 'RATE_LIMITED') return { answer: failure(429, 'rate_limit'), isReplayed: false };
    const text = JSON.stringify([pathname, fields]);
    const remembered = key === undefined ? undefined : this.keys.get(key);
    if (remembered !== undefined) {
      if (remembered.request === text) return { answer: remembered.answer, isReplayed: true };
      return { answer: failure(400, undefined, 'idempotency_error'), isReplayed: false };
    }
    const answer =
      fault === 'BROKEN' ? failure(500, undefined) : this.account.answer(method, pathname, fields);
    if (key !== undefined) this.keys.set(key, { request: text, answer });
    return { answer, isReplayed: false };
  }
}

/** An event as Stripe sends and signs it. */
export function signedNotice(
  notice: { readonly id?: string; readonly type: string; readonly object: unknown },
  { secret, at }: { readonly secret: string; readonly at: Date },
): { body: Buffer; signature: string } {
  const { id = 'evt_1Test', type, object } = notice;
  const event = { id, object: 'event', type, livemode: false, data: { object } };
  const body = Buffer.from(JSON.stringify(event));
  const seconds = String(Math.floor(at.getTime() / 1000));
  const hash = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return { body, signature: `t=${seconds},v1=${hash}` };
}

function failure(status: number, code: string | undefined, type = 'api_error'): StripeAnswer {
  return { status, body: { error: { type, code, message: 'Something went wrong' } } };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
