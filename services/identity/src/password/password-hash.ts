import { scrypt, timingSafeEqual } from 'node:crypto';

/** Cost parameters of a hash: `N = 2^cost`, 8 blocks, and the number of lanes. */
interface Hardness {
  readonly cost: number;
  readonly lanes: number;
}

// With a cost of 15, which takes 32 MiB, these are OWASP's minimum.
const lanesOfNew = 3;
const blocks = 8;
const keyBytes = 32;
/** Random bytes of a salt. */
export const saltBytes = 16;

/** `scrypt:<cost>:<lanes>:<salt>:<key>`, the last two in base64url. */
export async function hashPassword(
  password: string,
  { salt, cost }: { salt: Buffer; cost: number },
): Promise<string> {
  const lanes = lanesOfNew;
  const key = await derive(password, salt, { cost, lanes });
  const texts = [salt, key].map((bytes) => bytes.toString('base64url'));
  return ['scrypt', String(cost), String(lanes), ...texts].join(':');
}

/**
 * True when a password matches a hash. Without a hash the check takes as long as one of `cost`, and
 * fails.
 */
export async function isPassword(
  password: string,
  hash: string | undefined,
  { cost: costOfNew }: { cost: number },
): Promise<boolean> {
  const [, cost, lanes, salt, key] = (hash ?? '').split(':');
  if (salt === undefined || key === undefined) {
    await derive(password, Buffer.alloc(saltBytes), { cost: costOfNew, lanes: lanesOfNew });
    return false;
  }
  const expected = Buffer.from(key, 'base64url');
  const stored = { cost: Number(cost), lanes: Number(lanes) };
  const made = await derive(password, Buffer.from(salt, 'base64url'), stored);
  return timingSafeEqual(made, expected);
}

function derive(password: string, salt: Buffer, { cost, lanes }: Hardness): Promise<Buffer> {
  const N = 2 ** cost;
  const options = { N, r: blocks, p: lanes, maxmem: 256 * N * blocks };
  // Combining characters are equal to composed ones.
  const text = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, keyBytes, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
