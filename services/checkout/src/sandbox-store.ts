import type { Collection, Db } from 'mongodb';
import { sleep } from '@billing/chassis/clock';
import { derivedId, jitter } from '@billing/chassis/ids';
import { ensureIndexes } from '@billing/chassis/indexes';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { KeyedMutex } from '@billing/chassis/keyed-mutex';
import { DomainError } from '@billing/kernel/domain-error';
import type { DeclineCode } from './decline';
import {
  type CardAnswer,
  type CardCharge,
  isSandboxCardName,
  type SandboxCardName,
} from './sandbox-cards';

/** A charge that was made, in the sandbox's own books. */
export interface SandboxCharge {
  /** The caller's idempotency key. */
  readonly key: string;
  readonly providerPaymentId: string;
  /** The saved card that was charged, or the one behind the captured authorisation. */
  readonly methodId: string;
  readonly isCapture: boolean;
  readonly isPayerPresent: boolean;
  readonly amount: bigint;
  readonly currency: string;
}

/** A charge as it stands: what came of it, and of the challenge if it had one. */
export interface SandboxOutcome {
  readonly providerPaymentId: string;
  readonly methodId: string;
  readonly answer: CardAnswer;
}

interface ChargeDocument {
  /** The caller's idempotency key. */
  readonly _id: string;
  readonly environmentId: string;
  readonly methodId: string;
  /** 1, 2, 3 … for the charges of a card: unique, so that each of them knows all earlier ones. */
  readonly ordinal: number | bigint;
  /** How many of them, this one included, charged the saved card without its payer. */
  readonly renewals: number | bigint;
  readonly providerPaymentId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly isChallenged: boolean;
  readonly failureCode: DeclineCode | null;
}

interface ChallengeDocument {
  /** The key of the charge that waited. */
  readonly _id: string;
  readonly environmentId: string;
  readonly methodId: string;
  readonly isApproved: boolean;
  readonly failureCode: DeclineCode | null;
}

interface AuthorizationDocument {
  /** Derived from the authorised transaction, whose text may hold the number of a card. */
  readonly _id: string;
  readonly environmentId: string;
  /** Whose payment was authorised: no other customer pays with it. */
  readonly customerId: string;
  /** The charge that captures it; null until one does. */
  readonly chargeKey: string | null;
}

interface MethodDocument {
  readonly _id: string;
  readonly environmentId: string;
  /** A card's name, never its number. */
  readonly card: string;
}

const attemptsMax = 64;

// The index decides who has a place in a card's row. Taking turns within a process keeps the race for it small: PostgreSQL below some
// servers finds those that want one place in a deadlock, a second each time, until some of them give up.
const cardTurns = new KeyedMutex();

/** Creates what all environments share. */
export async function ensureSandboxIndexes(db: Db): Promise<void> {
  await ensureIndexes(db.collection('sandboxCharges'), [
    { name: 'card', key: { environmentId: 1, methodId: 1, ordinal: -1 }, unique: true },
  ]);
  await ensureIndexes(db.collection('sandboxChallenges'), [
    { name: 'passed', key: { environmentId: 1, methodId: 1, isApproved: 1 } },
  ]);
}

/**
 * The sandbox's own memory of one environment: charges, answered challenges, refunds and saved cards, all only inserted, and the charge
 * that each authorisation pays.
 */
export class SandboxStore {
  private readonly charges: Collection<ChargeDocument>;
  private readonly challenges: Collection<ChallengeDocument>;
  private readonly methods: Collection<MethodDocument>;
  private readonly refunds: Collection<{ _id: string; environmentId: string; chargeKey: string }>;
  private readonly authorizations: Collection<AuthorizationDocument>;

  constructor(
    db: Db,
    private readonly environmentId: string,
  ) {
    this.charges = db.collection('sandboxCharges');
    this.challenges = db.collection('sandboxChallenges');
    this.methods = db.collection('sandboxMethods');
    this.refunds = db.collection('sandboxRefunds');
    this.authorizations = db.collection('sandboxAuthorizations');
  }

  async findCharge(key: string): Promise<SandboxOutcome | undefined> {
    const document = await this.findDocument(key);
    return document === undefined ? undefined : this.outcomeOf(document);
  }

  /**
   * Enters a charge once, with the answer that `decide` gives from the card's earlier charges. A key that is known is answered with what
   * came of its charge.
   */
  async charge(
    charge: SandboxCharge,
    decide: (charge: CardCharge) => CardAnswer,
  ): Promise<SandboxOutcome> {
    const card = `${this.environmentId}:${charge.methodId}`;
    return cardTurns.runExclusive([card, charge.key], () => this.chargeInTurn(charge, decide));
  }

  private async chargeInTurn(
    charge: SandboxCharge,
    decide: (charge: CardCharge) => CardAnswer,
  ): Promise<SandboxOutcome> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const document = await this.next(charge, decide);
      if (await inserted(() => this.charges.insertOne(document))) return this.outcomeOf(document);
      const existing = await this.findDocument(charge.key);
      if (existing !== undefined) return this.outcomeOf(sameCharge(existing, charge));
      await sleep(attempt * jitter(1));
    }
    throw tooManyWriters();
  }

  /** Ends the challenge of a charge; the first answer counts. One that has no challenge, or ended it before, stays as it is. */
  async answerChallenge(
    key: string,
    {
      isApproved,
      decide,
    }: { isApproved: boolean; decide: (methodId: string) => Promise<CardAnswer> },
  ): Promise<SandboxOutcome> {
    const charge = await this.findDocument(key);
    if (charge === undefined) throw new Error(`The sandbox has no charge ${key}`);
    const { environmentId, methodId, isChallenged } = charge;
    if (isChallenged) {
      const answer = await decide(methodId);
      const failureCode = answer.kind === 'FAILS' ? answer.code : null;
      const document = { _id: key, environmentId, methodId, isApproved, failureCode };
      await inserted(() => this.challenges.insertOne(document));
    }
    return this.outcomeOf(charge);
  }

  async saveMethod(methodId: string, card: SandboxCardName): Promise<void> {
    const { environmentId } = this;
    await inserted(() => this.methods.insertOne({ _id: methodId, environmentId, card }));
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

  /** The customer whose payment was authorised: the first one who used it. */
  async holderOf(transactionId: string, customerId: string): Promise<string> {
    const { environmentId } = this;
    const _id = this.authorizationIdOf(transactionId);
    const document = { _id, environmentId, customerId, chargeKey: null };
    if (await inserted(() => this.authorizations.insertOne(document))) return customerId;
    const found = await retryTransient(() => this.authorizations.findOne({ _id }));
    if (found === null) throw new Error(`The authorisation ${transactionId} is gone`);
    return found.customerId;
  }

  /**
   * Whether the charge with the key captures the authorisation. One charge does; only after it has failed for certain may another one of
   * the same customer take its place.
   */
  async claimAuthorization(
    transactionId: string,
    { key, customerId }: { readonly key: string; readonly customerId: string },
  ): Promise<boolean> {
    if ((await this.holderOf(transactionId, customerId)) !== customerId) return false;
    const _id = this.authorizationIdOf(transactionId);
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const found = await retryTransient(() => this.authorizations.findOne({ _id }));
      const holder = found?.chargeKey ?? null;
      if (holder === key) return true;
      if (holder !== null && !(await this.hasFailed(holder))) return false;
      const taken = await retryTransient(() =>
        this.authorizations.updateOne({ _id, chargeKey: holder }, { $set: { chargeKey: key } }),
      );
      if (taken.modifiedCount === 1) return true;
    }
    throw tooManyWriters();
  }

  async refund(key: string, chargeKey: string): Promise<void> {
    const { environmentId } = this;
    await inserted(() => this.refunds.insertOne({ _id: key, environmentId, chargeKey }));
  }

  private async next(
    { key, isCapture, isPayerPresent, ...charge }: SandboxCharge,
    decide: (charge: CardCharge) => CardAnswer,
  ): Promise<ChargeDocument> {
    const { environmentId } = this;
    const latest = await this.latestOf(charge.methodId);
    const earlierRenewals = Number(latest?.renewals ?? 0);
    const isAuthenticated = await this.isAuthenticated(charge.methodId);
    const isFirstCharge = latest === undefined;
    const known = { isFirstCharge, earlierRenewals, isAuthenticated };
    const answer = decide({ amount: charge.amount, isCapture, isPayerPresent, ...known });
    return {
      _id: key,
      environmentId,
      ...charge,
      ordinal: Number(latest?.ordinal ?? 0) + 1,
      renewals: earlierRenewals + (isCapture || isPayerPresent ? 0 : 1),
      isChallenged: answer.kind === 'CHALLENGES',
      failureCode: answer.kind === 'FAILS' ? answer.code : null,
    };
  }

  private async outcomeOf(charge: ChargeDocument): Promise<SandboxOutcome> {
    const { providerPaymentId, methodId, isChallenged } = charge;
    const outcome = { providerPaymentId, methodId };
    if (!isChallenged) return { ...outcome, answer: answerOf(charge) };
    const { environmentId } = this;
    const ended = await retryTransient(() =>
      this.challenges.findOne({ _id: charge._id, environmentId }),
    );
    return { ...outcome, answer: ended === null ? { kind: 'CHALLENGES' } : answerOf(ended) };
  }

  private authorizationIdOf(transactionId: string): string {
    return derivedId(this.environmentId, 'sandboxAuthorization', transactionId);
  }

  // A charge that is not entered yet may still be: only a failed one is over.
  private async hasFailed(key: string): Promise<boolean> {
    return (await this.findCharge(key))?.answer.kind === 'FAILS';
  }

  private async isAuthenticated(methodId: string): Promise<boolean> {
    const { environmentId } = this;
    const passed = await retryTransient(() =>
      this.challenges.findOne({ environmentId, methodId, isApproved: true }),
    );
    return passed !== null;
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
}

function tooManyWriters(): DomainError {
  return new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

// False where the key, or the place in the card's row, is taken.
async function inserted(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await retryTransient(insert);
    return true;
  } catch (error) {
    if (duplicateKeyIndex(error) === undefined) throw error;
    return false;
  }
}

function sameCharge(existing: ChargeDocument, charge: SandboxCharge): ChargeDocument {
  const { amount, currency, methodId } = charge;
  const isSame =
    existing.amount === amount && existing.currency === currency && existing.methodId === methodId;
  if (!isSame) throw new Error(`The key ${charge.key} was used for another charge`);
  return existing;
}

function answerOf({ failureCode }: Pick<ChargeDocument, 'failureCode'>): CardAnswer {
  return failureCode === null ? { kind: 'SUCCEEDS' } : { kind: 'FAILS', code: failureCode };
}
