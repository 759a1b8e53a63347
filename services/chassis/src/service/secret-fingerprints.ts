import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { systemClock } from '../clock';
import { ConfigurationError, type ConfigurationProblem } from './configuration';
import { retryTransient } from '../mongo/mongo';
import type { Metrics } from '../telemetry/metrics';

/** A secret that stored data depends on. */
export interface DataSecret {
  /** Name of the variable that configures it. */
  readonly variable: string;
  readonly value: string | Buffer;
  /** Previous secrets that still verify or decrypt. */
  readonly old: readonly (string | Buffer)[];
}

/** Stored fingerprint of a secret. */
export interface FingerprintDocument {
  /** Name of the variable. */
  readonly _id: string;
  /**
   * The first 8 bytes of the secret's SHA-256 in hexadecimal: enough to distinguish secrets, too
   * little to find one.
   */
  readonly fingerprint: string;
  /** Real time at which it replaced another one; absent if it never did. */
  readonly replacedAt?: Date;
  /** Real time at which a start with another one was refused last; absent if none was. */
  readonly refusedAt?: Date;
}

/** Collection of the fingerprints. */
export const fingerprintCollection = 'secretFingerprints';
const fingerprintBytes = 8;
const duplicateKey = 11_000;

/** Text that distinguishes secrets and reveals none. */
export function fingerprintOf(secret: string | Buffer): string {
  const hash = createHash('sha256').update(secret).digest();
  return hash.subarray(0, fingerprintBytes).toString('hex');
}

/**
 * Compares the configured secrets with those that the database was written with, and stores
 * fingerprints of new ones. A secret that replaces a configured old one is a rotation. Any other
 * difference is recorded for `npm run doctor` and throws a ConfigurationError, before anything is
 * written with a wrong secret.
 */
export async function checkFingerprints(
  db: Db,
  secrets: readonly DataSecret[],
  metrics?: Pick<Metrics, 'recordWrongSecrets'>,
): Promise<void> {
  const problems: ConfigurationProblem[] = [];
  for (const secret of secrets) {
    if (await isKnown(db, secret)) continue;
    const problem = 'is not the one this data was written with';
    problems.push({ variable: secret.variable, problem });
  }
  if (problems.length === 0) return;
  metrics?.recordWrongSecrets(problems.length);
  throw new ConfigurationError(problems);
}

async function isKnown(db: Db, { variable, value, old }: DataSecret): Promise<boolean> {
  const fingerprints = db.collection<FingerprintDocument>(fingerprintCollection);
  const fingerprint = fingerprintOf(value);
  const find = () => retryTransient(() => fingerprints.findOne({ _id: variable }));
  const stored = (await find()) ?? (await insert({ _id: variable, fingerprint }));
  if (stored.fingerprint === fingerprint) return true;
  const now = systemClock.now();
  const isRotation = old.map(fingerprintOf).includes(stored.fingerprint);
  const change = isRotation ? { fingerprint, replacedAt: now } : { refusedAt: now };
  const compared = { _id: variable, fingerprint: stored.fingerprint };
  const written = retryTransient(() => fingerprints.updateOne(compared, { $set: change }));
  // With a full disk the start is still refused for its secret.
  await (isRotation ? written : written.catch(() => undefined));
  return isRotation;

  async function insert(document: FingerprintDocument): Promise<FingerprintDocument> {
    try {
      await retryTransient(() => fingerprints.insertOne(document));
      return document;
    } catch (error) {
      // Another replica started concurrently.
      const first = (error as { code?: unknown }).code === duplicateKey ? await find() : null;
      if (first === null) throw error;
      return first;
    }
  }
}
