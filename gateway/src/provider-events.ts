import express, { type Express, type Request, type Response } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import { readWithin } from './http/body';
import { exchange, type ExchangeDependencies } from './http/exchange';
import { RequestError } from './http/error';
import type { TakePlace } from './http/in-flight-limit';
import type { Peers } from './peer/peers';
import { ok } from './http/answer';

// Events of payment providers come without a key. The checkout service verifies their signature
// over the exact bytes.

const path = '/provider-events/:provider';
// An event contains one object of the provider; Stripe's take some kilobytes.
const bodyBytesMax = 1024 * 1024;
const bodyMsMax = 10_000;
const readBytes = express.raw({ limit: bodyBytesMax, type: () => true });

/** Signature header by provider. */
const signatureHeaders: Readonly<Record<string, string>> = { stripe: 'stripe-signature' };

/**
 * Receives events of payment providers: 200 once an event is stored, 400 for a missing or invalid
 * signature, 404 for an unknown provider.
 */
export function addProviderEvents(
  app: Express,
  site: ExchangeDependencies & {
    readonly peers: Pick<Peers, 'payment'>;
    readonly inFlight: TakePlace;
  },
): void {
  app.post(path, (request, response) =>
    exchange(request, response, { ...site, route: path }, async (call) => {
      const { provider: name } = request.params;
      const header = Object.hasOwn(signatureHeaders, name) ? signatureHeaders[name] : undefined;
      if (header === undefined) throw new RequestError(404, 'not_found', 'Not found');
      const signature = request.header(header);
      if (signature === undefined) throw badSignature();
      const body = await readWithin(bodyMsMax, () => readBody(request, response));
      try {
        // Carries no tenant, since the signed bytes name the owner.
        const event = { provider: name, body, signature };
        await site.peers.payment.receiveProviderEvent(event, call as CallContext);
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'permission') throw badSignature();
        throw error;
      }
      return ok({ received: true });
    }),
  );
  app.all(path, (request, response) =>
    exchange(request, response, { ...site, route: path }, () =>
      Promise.reject(
        new RequestError(405, 'method_not_allowed', 'Method not allowed', { Allow: 'POST' }),
      ),
    ),
  );
}

async function readBody(request: Request, response: Response): Promise<Buffer> {
  await new Promise<void>((resolve, reject) => {
    readBytes(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(toRequestError(error));
    });
  });
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

function toRequestError(error: unknown): RequestError {
  return (error as { type?: string }).type === 'entity.too.large'
    ? new RequestError(413, 'request_too_large', 'Request body too large')
    : new RequestError(400, 'invalid_request', 'The body cannot be read');
}

function badSignature(): RequestError {
  return new RequestError(400, 'invalid_signature', 'Missing or invalid signature');
}
