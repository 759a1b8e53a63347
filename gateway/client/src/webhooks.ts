import { createHmac, timingSafeEqual } from 'node:crypto';
import { WebhookVerificationError } from './errors';
import type { WebhookEvent } from './gen/api';

/** Headers of a request, as frameworks hand them on. */
export type WebhookRequestHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Settings of a verification. */
export interface UnwrapOptions {
  /** How much the time of the webhook may differ from now; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Replaces the present time. */
  readonly now?: Date;
}

const toleranceSecondsDefault = 300;
const keyBytesMin = 16;

/** Verifies webhooks. */
export class Webhooks {
  /**
   * Returns the event of a webhook whose signature was made with one of the secrets; throws a
   * `WebhookVerificationError` for any other. `body` is the request's body as it arrived.
   */
  unwrap(
    body: string | Uint8Array,
    headers: WebhookRequestHeaders,
    secret: string | readonly string[],
    // eslint-disable-next-line no-restricted-syntax -- the clock of the caller's machine
    { toleranceSeconds = toleranceSecondsDefault, now = new Date() }: UnwrapOptions = {},
  ): WebhookEvent {
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      throw new TypeError('Pass the body as it arrived, before any JSON is parsed');
    }
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
      headerOf(headers, `webhook-${name}`),
    );
    if (id === undefined || timestamp === undefined || signature === undefined) {
      throw new WebhookVerificationError('missing_header');
    }
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const signed = [Buffer.from(`${id}.${timestamp}.`), bytes];
    const secrets = typeof secret === 'string' ? [secret] : secret;
    const expected = secrets.map((one) => signatureOf(signed, one));
    const given = signature.split(' ').filter((one) => one.startsWith('v1,'));
    if (!given.some((one) => expected.some((each) => isEqual(one, each)))) {
      throw new WebhookVerificationError('no_matching_signature');
    }
    refuseFarTimes(/^\d+$/.test(timestamp) ? Number(timestamp) : NaN, { toleranceSeconds, now });
    return parsed(bytes);
  }
}

function refuseFarTimes(
  timestamp: number,
  { toleranceSeconds, now }: { toleranceSeconds: number; now: Date },
): void {
  const nowSeconds = Math.floor(now.getTime() / 1_000);
  // A time that is no number is refused here too.
  if (!(timestamp >= nowSeconds - toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_too_old');
  }
  if (timestamp > nowSeconds + toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_too_new');
  }
}

function parsed(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('malformed_body');
  }
}

function headerOf(headers: WebhookRequestHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'object' ? value[0] : value;
}

function signatureOf(signed: readonly Uint8Array[], secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  // Anyone can sign with an empty key, such as that of a variable that is not set.
  if (key.length < keyBytesMin) {
    throw new TypeError(`secret must be whsec_ and at least ${String(keyBytesMin)} bytes`);
  }
  const hmac = createHmac('sha256', key);
  for (const bytes of signed) hmac.update(bytes);
  return `v1,${hmac.digest('base64')}`;
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
