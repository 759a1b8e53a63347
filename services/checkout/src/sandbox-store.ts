import type { Collection, Db } from 'mongodb';
import { sleep } from '@billing/chassis/clock';
import { jitter } from '@billing/chassis/ids';
import { ensureIndexes } from '@billing/chassis/indexes';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import { isSandboxCardName, type SandboxCardName } from './sandbox-cards';

/** A charge that was made, in the sandbox's own books. */
export interface SandboxCharge {
  /** The caller's idempotency key. */
  readonly key: string;
  readonly providerPaymentId: string;
  /** The saved card that was charged, or the one behind the captured authorisation. */
  readonly methodId: string;
  readonly isCapture: boolean;
  readonly amount: bigint;
  readonly currency: string;
}

/** What the sandbox answered. */
export interface SandboxOutcome {
  readonly providerPaymentId: string;
  /** Undefined: it succeeded. */
  readonly failureCode: string | undefined;
}

interface ChargeDocument {
  /** The caller's idempotency key. */
  readonly _id: string;
  readonly environmentId: string;
  readonly methodId: string;
  /** 1, 2, 3 … for the charges of a card: unique, so that each of them knows all earlier ones. */
  readonly ordinal: number | bigint;
  /** How many of them, this one included, charged the saved card. */
  readonly savedCharges: number | bigint;
  readonly providerPaymentId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly failureCode: string | null;
}

interface MethodDocument {
  readonly _id: string;
  readonly environmentId: string;
  /** A card's name, never its number. */
  readonly card: string;
}

const attemptsMax = 64;

/** Creates what all environments share. */
export async function ensureSandboxIndexes(db: Db): Promise<void> {
  await ensureIndexes(db.collection('sandboxCharges'), [
    { name: 'card', key: { environmentId: 1, methodId: 1, ordinal: -1 }, unique: true },
  ]);
}

/** The sandbox's own memory of one environment: charges and saved cards, both only inserted. */
export class SandboxStore {
  private readonly charges: Collection<ChargeDocument>;
  private readonly methods: Collection<MethodDocument>;

  constructor(
    db: Db,
    private readonly environmentId: string,
  ) {
    this.charges = db.collection<ChargeDocument>('sandboxCharges');
    this.methods = db.collection<MethodDocument>('sandboxMethods');
  }

  async findCharge(key: string): Promise<SandboxOutcome | undefined> {
    const document = await this.findDocument(key);
    return document === undefined ? undefined : outcomeOf(document);
  }

  /**
   * Enters a charge once, with the failure code that `decide` gives from the number of earlier charges of the saved card. A key that is
   * known is answered with its first outcome.
   */
  async charge(
    charge: SandboxCharge,
    decide: (earlierSavedCharges: number) => string | undefined,
  ): Promise<SandboxOutcome> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const document = this.next(charge, await this.latestOf(charge.methodId), decide);
      if (await this.insert(document)) return outcomeOf(document);
      const existing = await this.findDocument(charge.key);
      if (existing !== undefined) return sameCharge(existing, charge);
      await sleep(attempt * jitter(1));
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  async saveMethod(methodId: string, card: SandboxCardName): Promise<void> {
    const { environmentId } = this;
    try {
      await retryTransient(() => this.methods.insertOne({ _id: methodId, environmentId, card }));
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
  }

  async cardOf(methodId: string): Promise<SandboxCardName> {
    const { environmentId } = this;
    const method = await retryTransient(() =>
      this.methods.findOne({ _id: methodId, environmentId }),
    );
    if (method === null || !isSandboxCardName(method.card)) {
      throw new Error(`The sandbox has no card ${methodId}`);
    }
    return method.card;
  }

  private next(
    { key, isCapture, ...charge }: SandboxCharge,
    latest: ChargeDocument | undefined,
    decide: (earlierSavedCharges: number) => string | undefined,
  ): ChargeDocument {
    const earlierSavedCharges = Number(latest?.savedCharges ?? 0);
    return {
      _id: key,
      environmentId: this.environmentId,
      ...charge,
      ordinal: Number(latest?.ordinal ?? 0) + 1,
      savedCharges: earlierSavedCharges + (isCapture ? 0 : 1),
      failureCode: decide(earlierSavedCharges) ?? null,
    };
  }

  private async findDocument(key: string): Promise<ChargeDocument | undefined> {
    const { environmentId } = this;
    const document = await retryTransient(() => this.charges.findOne({ _id: key, environmentId }));
    return document ?? undefined;
  }

  private async latestOf(methodId: string): Promise<ChargeDocument | undefined> {
    const { environmentId } = this;
    const [latest] = await retryTransient(() =>
      this.charges.find({ environmentId, methodId }).sort({ ordinal: -1 }).limit(1).toArray(),
    );
    return latest;
  }

  // False where the key, or the place in the card's row, is taken.
  private async insert(document: ChargeDocument): Promise<boolean> {
    try {
      await retryTransient(() => this.charges.insertOne(document));
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }
}

function sameCharge(existing: ChargeDocument, charge: SandboxCharge): SandboxOutcome {
  const { amount, currency, methodId } = charge;
  const isSame =
    existing.amount === amount && existing.currency === currency && existing.methodId === methodId;
  if (!isSame) throw new Error(`The key ${charge.key} was used for another charge`);
  return outcomeOf(existing);
}

function outcomeOf({ providerPaymentId, failureCode }: ChargeDocument): SandboxOutcome {
  return { providerPaymentId, failureCode: failureCode ?? undefined };
}
