import type { Collection, Db, Filter } from 'mongodb';
import { ConfigurationError } from '@billing/chassis/configuration';
import { dataKeyIdOf, type DataKeys } from '@billing/chassis/data-keys';
import { retryTransient } from '@billing/chassis/mongo';

/** The secrets of an endpoint as stored. */
export interface SealedSecrets {
  readonly _id: string;
  readonly environmentId: string;
  readonly version: number | bigint;
  readonly secret: string;
  /** Absent in endpoints that were stored before secrets could be rotated. */
  readonly retiredSecrets?: readonly { readonly secret: string }[];
}

const unknownReadMax = 1_000;
const batchMax = 100;

/** Reads and replaces the encryption of all endpoints' secrets. */
export class SealedSecretStore {
  private readonly endpoints: Collection<SealedSecrets>;

  constructor(
    db: Db,
    private readonly keys: DataKeys,
  ) {
    this.endpoints = db.collection<SealedSecrets>('webhookEndpoints');
  }

  /**
   * Throws a ConfigurationError while secrets are encrypted with a key that is not configured,
   * because no call or delivery could decrypt them.
   */
  async refuseUnknownKeys(): Promise<void> {
    const found = await this.find(this.keys.unknownPattern, { after: '', limit: unknownReadMax });
    const texts = found.flatMap(({ secret, retiredSecrets = [] }) => [
      secret,
      ...retiredSecrets.map((retired) => retired.secret),
    ]);
    const unknown = new RegExp(this.keys.unknownPattern);
    const ids = new Set(texts.filter((text) => unknown.test(text)).map(dataKeyIdOf));
    const problems = [...ids].map((id) => ({
      variable: 'DATA_KEYS',
      problem: `lacks the key ${id ?? ''}, which stored webhook secrets are sealed with`,
    }));
    if (problems.length > 0) throw new ConfigurationError(problems);
  }

  /** Returns the next endpoints by id with a secret that is not encrypted with the newest key. */
  findOutdated(after: string): Promise<SealedSecrets[]> {
    return this.find(this.keys.outdatedPattern, { after, limit: batchMax });
  }

  /** Encrypts an endpoint's secrets with the newest key. */
  async reseal({
    _id,
    environmentId,
    version,
    secret,
    retiredSecrets,
  }: SealedSecrets): Promise<void> {
    // The version, which callers see, stays. It is part of the filter: a concurrent write has
    // encrypted the secrets already.
    const retired = retiredSecrets?.map((one) => ({
      ...one,
      secret: this.keys.reseal(one.secret),
    }));
    const sealed = {
      // A deleted endpoint has no secret.
      secret: secret === '' ? '' : this.keys.reseal(secret),
      ...(retired !== undefined && { retiredSecrets: retired }),
    };
    await retryTransient(() =>
      this.endpoints.updateOne({ _id, environmentId, version }, { $set: sealed }),
    );
  }

  private find(
    pattern: string,
    { after, limit }: { after: string; limit: number },
  ): Promise<SealedSecrets[]> {
    const matching = { $regex: pattern };
    const filter: Filter<SealedSecrets> = {
      _id: { $gt: after },
      $or: [{ secret: matching }, { 'retiredSecrets.secret': matching }],
    };
    return retryTransient(() =>
      this.endpoints
        .find(filter)
        .project<SealedSecrets>({ environmentId: 1, version: 1, secret: 1, retiredSecrets: 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }
}
