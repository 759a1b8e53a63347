import Stripe from 'stripe';
import { DomainError } from '@billing/kernel/domain-error';

/** Stripe's library, connected to one account. */
export type StripeClient = Stripe;

/** Address of Stripe and the secret key. */
export interface StripeOptions {
  readonly secretKey: string;
  /** Replaces Stripe's own address, e.g. with a proxy. */
  readonly apiUrl?: string | undefined;
}

// Shorter than the lease of an attempt; cards are answered in seconds.
const timeoutMs = 20_000;

/** Connects to Stripe without sending a request. */
export function connectStripe({ secretKey, apiUrl }: StripeOptions): StripeClient {
  return new Stripe(secretKey, {
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    // Stripe's library would otherwise store an id of this machine in its user's home folder.
    telemetry: false,
    ...(apiUrl === undefined ? {} : addressOf(new URL(apiUrl))),
  });
}

/** A retried call with the same key is executed once, for as long as Stripe stores the key. */
export interface KeyedCall {
  readonly idempotencyKey?: string;
}

/**
 * Makes a call with an idempotency key. Stripe replays its answers for a day, including server
 * errors and the refusal of a request that an earlier version of this program sent with other
 * parameters. In these cases the call is made without the key, so use this only for calls that are
 * harmless when executed twice.
 */
export async function keyed<T>(
  idempotencyKey: string,
  call: (options: KeyedCall) => Promise<T>,
): Promise<T> {
  try {
    return await call({ idempotencyKey });
  } catch (error) {
    if (!isStoredServerError(error) && !(error instanceof Stripe.errors.StripeIdempotencyError)) {
      throw error;
    }
    return call({});
  }
}

function isStoredServerError(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeAPIError &&
    error.headers?.['idempotent-replayed'] === 'true'
  );
}

export function isCardError(error: unknown): error is Stripe.errors.StripeCardError {
  return error instanceof Stripe.errors.StripeCardError;
}

/** True if Stripe refuses the request itself; a retry fails the same way. */
export function isRefusal(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError;
}

export function isMissing(error: unknown): boolean {
  return isRefusal(error) && error.code === 'resource_missing';
}

/** Undefined if Stripe has no such object. */
export async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Error for callers and the log. An unknown outcome can be retried; a refusal is a bug or a
 * configuration error. Stripe's own errors stay inside: they contain whole objects, including
 * secrets of payers' pages.
 */
export function toProviderError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { type, code, param, statusCode, requestId } = error;
  const facts = [type, statusCode, code, param, requestId].filter((fact) => fact !== undefined);
  const summary = new Error(`Stripe answered ${facts.join(' ')}`);
  if (!isPassing(error)) return summary;
  return new DomainError('unavailable', 'PAYMENT_PROVIDER_UNAVAILABLE', 'Service unavailable', {
    cause: summary,
  });
}

function isPassing(error: unknown): boolean {
  const { StripeConnectionError, StripeRateLimitError, StripeAPIError } = Stripe.errors;
  return [StripeConnectionError, StripeRateLimitError, StripeAPIError].some(
    (kind) => error instanceof kind,
  );
}

function addressOf({ protocol, hostname, port }: URL) {
  const isSecure = protocol === 'https:';
  const defaultPort = isSecure ? '443' : '80';
  return {
    protocol: isSecure ? ('https' as const) : ('http' as const),
    host: hostname,
    port: port === '' ? defaultPort : port,
  };
}
