import { createHmac } from 'node:crypto';

/** What a delivery attempt signs. The body goes out as exactly these bytes in UTF-8. */
export interface Signed {
  /** `whsec_` and the base64 of the key. */
  readonly secret: string;
  /** The message's id, the same at every attempt. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  readonly body: string;
}

const secretPrefix = 'whsec_';

/** The text form of a signing key. */
export function toSecret(key: Buffer): string {
  return `${secretPrefix}${key.toString('base64')}`;
}

/** The headers by which a receiver knows that the body is ours: Standard Webhooks 1.0, and the scheme of the official client. */
export function signatureHeaders(signed: Signed): Record<string, string> {
  return {
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.timestamp),
    'webhook-signature': standardSignature(signed),
    'billing-signature': billingSignature(signed),
  };
}

/** Standard Webhooks 1.0, symmetric: the key is the base64 part of the secret. */
export function standardSignature({ secret, id, timestamp, body }: Signed): string {
  const signature = createHmac('sha256', signingKey(secret))
    .update(`${id}.${String(timestamp)}.${body}`)
    .digest('base64');
  return `v1,${signature}`;
}

/** The official client's scheme: hexadecimal, over timestamp and body, and the key is the secret's text as it stands. */
export function billingSignature({
  secret,
  timestamp,
  body,
}: Pick<Signed, 'secret' | 'timestamp' | 'body'>): string {
  const time = String(timestamp);
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return `t=${time},v1=${signature}`;
}

function signingKey(secret: string): Buffer {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  const key = Buffer.from(encoded, 'base64');
  // An empty key signs without complaint, and anybody could sign the same.
  if (key.length === 0) throw new Error('A signing secret must hold a key');
  return key;
}
