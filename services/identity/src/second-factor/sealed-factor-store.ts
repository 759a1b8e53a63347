import type { Collection, Db } from 'mongodb';
import { ConfigurationError } from '@billing/chassis/configuration';
import { dataKeyIdOf, type DataKeys } from '@billing/chassis/data-keys';
import { retryTransient } from '@billing/chassis/mongo';

interface SealedFactor {
  readonly _id: string;
  readonly environmentId: string;
  readonly version: number | bigint;
  readonly secondFactor: { readonly sealedSecret: string };
}

const readMax = 1_000;
const path = 'secondFactor.sealedSecret';

/** Reads and replaces the encryption of all operators' second factors. */
export class SealedFactorStore {
  private readonly operators: Collection<SealedFactor>;

  constructor(
    db: Db,
    /** Undefined: DATA_KEYS is not set. */
    private readonly keys: DataKeys | undefined,
  ) {
    this.operators = db.collection<SealedFactor>('operators');
  }

  /**
   * Throws a ConfigurationError while second factors are encrypted with a key that is not
   * configured, because their operators could not sign in.
   */
  async refuseUnknownKeys(): Promise<void> {
    const found = await this.find(this.keys?.unknownPattern ?? '^sealed:', '');
    const ids = new Set(found.map(({ secondFactor }) => dataKeyIdOf(secondFactor.sealedSecret)));
    const problems = [...ids].map((id) => ({
      variable: 'DATA_KEYS',
      problem: `lacks the key ${id ?? ''}, which stored second factors are sealed with`,
    }));
    if (problems.length > 0) throw new ConfigurationError(problems);
  }

  /** Encrypts all second factors with the newest key; returns how many it changed. */
  async resealAll(signal: AbortSignal): Promise<number> {
    const { keys } = this;
    if (keys === undefined) return 0;
    let changed = 0;
    for (let after: string | undefined = ''; after !== undefined && !signal.aborted;) {
      const outdated = await this.find(keys.outdatedPattern, after);
      for (const { _id, environmentId, version, secondFactor } of outdated) {
        // The version is part of the filter: a concurrent write is visited by the next round.
        const filter = { _id, environmentId, version };
        const sealed = { [path]: keys.reseal(secondFactor.sealedSecret) };
        const update = () => this.operators.updateOne(filter, { $set: sealed });
        changed += (await retryTransient(update)).modifiedCount;
      }
      after = outdated.at(-1)?._id;
    }
    return changed;
  }

  private find(pattern: string, after: string): Promise<SealedFactor[]> {
    const filter = { _id: { $gt: after }, [path]: { $regex: pattern } };
    return retryTransient(() =>
      this.operators
        .find(filter)
        .project<SealedFactor>({ environmentId: 1, version: 1, [path]: 1 })
        .sort({ _id: 1 })
        .limit(readMax)
        .toArray(),
    );
  }
}
