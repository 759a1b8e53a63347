import { createHmac } from 'node:crypto';

/** The signed content of a delivery attempt. The body is sent as exactly these bytes in UTF-8. */
export interface Signed {
  /** Each `whsec_` and the base64 of a key; at least one. All of them sign, the newest first. */
  readonly secrets: readonly string[];
  /** The message's id, the same at every attempt. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  readonly body: string;
}

const secretPrefix = 'whsec_';

/** Formats a signing key as text. */
export function toSecret(key: Buffer): string {
  return `${secretPrefix}${key.toString('base64')}`;
}

/**
 * The prefix of an endpoint without a chosen one, including endpoints stored before the option
 * existed.
 */
export const headerPrefixDefault = 'Billing';

/** The header in which the official client looks for the type. */
export function eventHeader(prefix: string, type: string): Record<string, string> {
  return { [`${prefix}-Event`]: type };
}

/**
 * The headers that authenticate the body: Standard Webhooks 1.0, and the scheme of the official
 * client, whose header begins with the endpoint's own prefix.
 */
export function signatureHeaders(
  signed: Signed,
  prefix = headerPrefixDefault,
): Record<string, string> {
  return {
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.timestamp),
    'webhook-signature': standardSignature(signed),
    [`${prefix}-Signature`]: billingSignature(signed),
  };
}

/**
 * Standard Webhooks 1.0, symmetric: the key is the base64 part of the secret. One signature per
 * secret, separated by spaces.
 */
export function standardSignature({ secrets, id, timestamp, body }: Signed): string {
  const signed = `${id}.${String(timestamp)}.${body}`;
  const signatures = secrets.map((secret) => hmac(signingKey(secret), signed, 'base64'));
  return signatures.map((signature) => `v1,${signature}`).join(' ');
}

/**
 * The official client's scheme: hexadecimal, over timestamp and body; the key is the text of the
 * secret. One `v1` per secret.
 */
export function billingSignature({
  secrets,
  timestamp,
  body,
}: Pick<Signed, 'secrets' | 'timestamp' | 'body'>): string {
  const time = String(timestamp);
  const signatures = secrets.map((secret) => hmac(secret, `${time}.${body}`, 'hex'));
  return [`t=${time}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}

function hmac(key: Buffer | string, signed: string, encoding: 'base64' | 'hex'): string {
  return createHmac('sha256', key).update(signed).digest(encoding);
}

function signingKey(secret: string): Buffer {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  const key = Buffer.from(encoded, 'base64');
  // An empty key signs without an error, and any third party could produce the same signature.
  if (key.length === 0) throw new Error('A signing secret must hold a key');
  return key;
}
