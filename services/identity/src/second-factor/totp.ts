import { createHmac, timingSafeEqual } from 'node:crypto';

// Time-based one-time passwords of RFC 6238 in the form that every authenticator app supports:
// HMAC-SHA-1, six digits, steps of 30 s.

const stepMs = 30_000;
const digits = 6;
// A code stays valid for one step before and after its own, for clocks that differ and slow typing.
const tolerance = [0, -1, 1] as const;

/** Code of a step, by RFC 4226. */
export function codeOfStep(secret: Buffer, step: number, length = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const offset = hash.readUInt8(hash.length - 1) & 0x0f;
  const number = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** length).padStart(length, '0');
}

/** Number of the step at a real time. */
export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / stepMs);
}

/**
 * Step of a valid code that is later than the last accepted one, so that each code is valid once.
 * Undefined for any other text.
 */
export function stepOfCode(
  secret: Buffer,
  { code, lastStep }: { readonly code: string; readonly lastStep: number },
  now: Date,
): number | undefined {
  const sent = Buffer.from(code);
  if (sent.length !== digits) return undefined;
  const steps = tolerance.map((distance) => stepAt(now) + distance);
  const matching = steps.filter(
    (step) => step >= 0 && timingSafeEqual(Buffer.from(codeOfStep(secret, step)), sent),
  );
  return matching.find((step) => step > lastStep);
}

/** Address by which an authenticator app adds an account. */
export function otpauthAddress({
  issuer,
  account,
  secret,
}: {
  readonly issuer: string;
  readonly account: string;
  /** In base32. */
  readonly secret: string;
}): string {
  const label = [issuer, account].map(encodeURIComponent).join(':');
  const query = Object.entries({
    secret,
    issuer,
    algorithm: 'SHA1',
    digits: String(digits),
    period: String(stepMs / 1_000),
  }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${label}?${query.join('&')}`;
}
