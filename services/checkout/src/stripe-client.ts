import Stripe from 'stripe';
import { DomainError } from '@billing/kernel/domain-error';

/** Stripe's library, connected to one account. */
export type StripeClient = Stripe;

/** Where Stripe is, and who asks. */
export interface StripeOptions {
  readonly secretKey: string;
  /** Another address than Stripe's own, e.g. of a proxy. */
  readonly apiUrl?: string | undefined;
}

// Shorter than the time after which another worker takes an attempt up; cards are answered in seconds.
const timeoutMs = 20_000;

/** Connects to Stripe; nothing is asked yet. */
export function connectStripe({ secretKey, apiUrl }: StripeOptions): StripeClient {
  return new Stripe(secretKey, {
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    // Stripe's library would else keep an id of this machine in its user's home folder.
    telemetry: false,
    ...(apiUrl === undefined ? {} : addressOf(new URL(apiUrl))),
  });
}

/** A call that is repeated under the same key is made once, for as long as Stripe remembers the key. */
export interface KeyedCall {
  readonly idempotencyKey?: string;
}

/**
 * Makes a call under a key. Stripe keeps its answers for a day: a server error would come back all that time, and so would the refusal of
 * a call that an earlier version of this program made in other words. Then the call is made without the key; so this is for calls alone
 * that are harmless when they are made twice.
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

/** Stripe refuses the request itself; repeating it brings the same. */
export function isRefusal(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError;
}

export function isMissing(error: unknown): boolean {
  return isRefusal(error) && error.code === 'resource_missing';
}

/** Undefined where Stripe has no such object. */
export async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * What callers and the log are told of an error. Whatever leaves the outcome unknown may be asked again; a refusal is a bug or a mistake
 * in the configuration. Stripe's own errors stay inside: they carry whole objects, secrets of payers' pages among them.
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
