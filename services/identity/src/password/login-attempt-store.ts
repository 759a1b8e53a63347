import type { Collection, Db } from 'mongodb';
import type { CallContext } from '@billing/chassis/call-context';
import { sleep } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { jitter } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import { attempt, type AttemptLimit, type Attempts, withdraw } from './login-attempts';

interface AttemptsDocument {
  /** `email:<address>` or `network:<address>`. */
  readonly _id: string;
  readonly version: number | bigint;
  readonly attempts: Attempts;
  /** Real time of the last change; old attempts have no effect. */
  readonly changedAt: Date;
}

const triesMax = 30;

/** Recent sign-in attempts. They have no environment: the person has not signed in yet. */
export class LoginAttemptStore {
  private readonly documents: Collection<AttemptsDocument>;

  constructor(
    db: Db,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.documents = db.collection<AttemptsDocument>('loginAttempts');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.documents, [{ name: 'changedAt', key: { changedAt: 1 } }]);
  }

  /**
   * Runs a comparison of typed text as an attempt under every limit, in their order. An attempt is
   * withdrawn unless the comparison refuses the text; a success also clears those of `pair`. A
   * success may have stored a change, so it stays one even if its attempt cannot be withdrawn.
   */
  async limited<T>(
    limits: readonly (readonly [key: string, limit: AttemptLimit])[],
    {
      pair,
      at,
      storing,
    }: { readonly pair: string; readonly at: Date } & Pick<CallContext, 'storing'>,
    compare: () => Promise<T>,
  ): Promise<T> {
    for (const [key, limit] of limits) {
      await this.change(key, (made) => attempt(made, limit, at), at);
    }
    const withdrawAll = async () => {
      for (const [key] of limits) await this.change(key, (made) => withdraw(made, at), at);
    };
    const compared = await compare().catch(async (error: unknown) => {
      if (!isTextRefused(error)) await withdrawAll();
      throw error;
    });
    const clear = async () => {
      await withdrawAll();
      await this.change(pair, () => [], at);
      return compared;
    };
    const { logger } = this;
    return elseAsWritten(compared, clear(), { logger, storing, message: 'attempt not withdrawn' });
  }

  /**
   * Replaces the attempts by the result of `decide`, by compare-and-set; an error thrown by it
   * changes nothing.
   */
  async change(key: string, decide: (attempts: Attempts) => Attempts, now: Date): Promise<void> {
    for (let tried = 1; tried <= triesMax; tried += 1) {
      const found = await retryTransient(() => this.documents.findOne({ _id: key }));
      const attempts = decide(found?.attempts ?? []);
      const version = Number(found?.version ?? 0);
      if (await this.replace({ _id: key, version: version + 1, attempts, changedAt: now })) return;
      await sleep(tried * 5 * jitter(1));
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  /** Deletes attempts last changed before `until`. */
  async deleteOlder(until: Date): Promise<void> {
    await retryTransient(() => this.documents.deleteMany({ changedAt: { $lt: until } }));
  }

  private async replace(document: AttemptsDocument): Promise<boolean> {
    const { _id, version } = document;
    try {
      const { modifiedCount, upsertedCount } = await retryTransient(() =>
        this.documents.replaceOne({ _id, version: Number(version) - 1 }, document, {
          upsert: version === 1,
        }),
      );
      return modifiedCount + upsertedCount > 0;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }
}

function isTextRefused(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false;
  return error.kind === 'unauthenticated' || error.kind === 'invalid_input';
}
