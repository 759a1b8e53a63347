import type { Collection, Db } from 'mongodb';
import { sleep } from '@billing/chassis/clock';
import { derivedId, jitter } from '@billing/chassis/ids';
import { InsertBatches } from '@billing/chassis/inserts';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { KeyedMutex } from '@billing/chassis/keyed-mutex';
import { DomainError } from '@billing/kernel/domain-error';
import type { DeclineCode } from '../port/decline';
import { type CardAnswer, type CardCharge, isSandboxCardName, type SandboxCardName } from './cards';

/** A charge in the sandbox's books. */
export interface SandboxCharge {
  /** The caller's idempotency key. */
  readonly key: string;
  readonly providerPaymentId: string;
  /** The saved card that was charged, or the one behind the captured authorization. */
  readonly methodId: string;
  readonly isCapture: boolean;
  readonly isPayerPresent: boolean;
  readonly amount: bigint;
  readonly currency: string;
}

/** Outcome of a charge, and of its challenge if it had one. */
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
  /** 1, 2, 3 … for the charges of a card. Unique, so that each charge knows all earlier ones. */
  readonly ordinal: number | bigint;
  /** Number of charges of the saved card without its payer, this one included. */
  readonly renewals: number | bigint;
  readonly providerPaymentId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly isChallenged: boolean;
  readonly failureCode: DeclineCode | null;
}

interface ChallengeDocument {
  /** Key of the charge that waited. */
  readonly _id: string;
  readonly environmentId: string;
  readonly methodId: string;
  readonly isApproved: boolean;
  readonly failureCode: DeclineCode | null;
}

interface AuthorizationDocument {
  /** Derived from the authorized transaction, whose text may contain a card number. */
  readonly _id: string;
  readonly environmentId: string;
  /** Customer whose payment was authorized; no other customer can pay with it. */
  readonly customerId: string;
  /** Key of the charge that captures it; null until a charge does. */
  readonly chargeKey: string | null;
}

interface MethodDocument {
  readonly _id: string;
  readonly environmentId: string;
  /** Name of the card, never its number. */
  readonly card: string;
}

/** Refunds of earlier releases, which were always of the whole charge, lack the later fields. */
interface RefundDocument {
  /** The caller's idempotency key. */
  readonly _id: string;
  readonly environmentId: string;
  readonly chargeKey: string;
  readonly methodId?: string;
  readonly amount?: bigint;
  /** Environment time. */
  readonly createdAt?: Date;
}

/** A refund in the sandbox's books. */
export interface SandboxRefund {
  readonly key: string;
  readonly amount: bigint;
  /** Card of the refunded charge. */
  readonly card: SandboxCardName | undefined;
  readonly createdAt: Date;
}

/** Earlier charges of a card, and if its payer has passed a challenge. */
interface EarlierCharges {
  readonly latest: ChargeDocument | undefined;
  readonly isAuthenticated: boolean;
}

// A challenge is passed only in a charge.
const noCharge: EarlierCharges = { latest: undefined, isAuthenticated: false };

const attemptsMax = 64;

// The unique index decides the order of a card's charges. The mutex within a process keeps
// contention low: MongoDB-compatible servers on PostgreSQL resolve each conflict as a deadlock,
// which takes a second and aborts a writer.
const cardMutex = new KeyedMutex();

/** Creates the indexes that all environments share. */
export async function ensureSandboxIndexes(db: Db): Promise<void> {
  await ensureIndexes(db.collection('sandboxCharges'), [
    { name: 'card', key: { environmentId: 1, methodId: 1, ordinal: -1 }, unique: true },
  ]);
  await ensureIndexes(db.collection('sandboxChallenges'), [
    { name: 'passed', key: { environmentId: 1, methodId: 1, isApproved: 1 } },
  ]);
}

/**
 * The sandbox's books: charges, answered challenges, refunds and saved cards, all only inserted,
 * and the charge that each authorization pays.
 */
export class SandboxBooks {
  readonly charges: Collection<ChargeDocument>;
  readonly challenges: Collection<ChallengeDocument>;
  readonly methods: Collection<MethodDocument>;
  readonly refunds: Collection<RefundDocument>;
  readonly authorizations: Collection<AuthorizationDocument>;
  /** Inserts of concurrent callers, in one command. */
  readonly newMethods: InsertBatches<MethodDocument>;
  readonly newAuthorizations: InsertBatches<AuthorizationDocument>;

  constructor(db: Db) {
    this.charges = db.collection('sandboxCharges');
    this.challenges = db.collection('sandboxChallenges');
    this.methods = db.collection('sandboxMethods');
    this.refunds = db.collection('sandboxRefunds');
    this.authorizations = db.collection('sandboxAuthorizations');
    this.newMethods = new InsertBatches(this.methods);
    this.newAuthorizations = new InsertBatches(this.authorizations);
  }
}

/** The sandbox's books of one environment. */
export class SandboxStore {
  constructor(
    private readonly books: SandboxBooks,
    private readonly environmentId: string,
  ) {}

  async findCharge(key: string): Promise<SandboxOutcome | undefined> {
    const document = await this.findDocument(key);
    return document === undefined ? undefined : this.outcomeOf(document);
  }

  /**
   * Records a charge once, with the answer that `decide` derives from the card's earlier charges. A
   * known key returns the recorded outcome.
   */
  async charge(
    charge: SandboxCharge,
    decide: (charge: CardCharge) => CardAnswer,
  ): Promise<SandboxOutcome> {
    const card = `${this.environmentId}:${charge.methodId}`;
    return cardMutex.runExclusive([card, charge.key], () => this.chargeInTurn(charge, decide));
  }

  private async chargeInTurn(
    charge: SandboxCharge,
    decide: (charge: CardCharge) => CardAnswer,
  ): Promise<SandboxOutcome> {
    // A capture normally is the first charge of its card, and its number then is free.
    if (charge.isCapture) {
      const first = this.chargeAfter(noCharge, charge, decide);
      if (await inserted(() => this.books.charges.insertOne(first))) return this.outcomeOf(first);
    }
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const document = await this.next(charge, decide);
      if (await inserted(() => this.books.charges.insertOne(document)))
        return this.outcomeOf(document);
      const existing = await this.findDocument(charge.key);
      if (existing !== undefined) return this.outcomeOf(sameCharge(existing, charge));
      await sleep(attempt * jitter(1));
    }
    throw tooManyWriters();
  }

  /**
   * Ends the challenge of a charge; the first answer counts. A charge without an open challenge
   * stays as it is.
   */
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
      await inserted(() => this.books.challenges.insertOne(document));
    }
    return this.outcomeOf(charge);
  }

  /** Saves a card; returns the one that is saved under the id. */
  async saveMethod(methodId: string, card: SandboxCardName): Promise<SandboxCardName> {
    const document = { _id: methodId, environmentId: this.environmentId, card };
    const isNew = await inserted(() => this.books.newMethods.insert(document));
    return isNew ? card : this.cardOf(methodId);
  }

  async cardOf(methodId: string): Promise<SandboxCardName> {
    const card = await this.findCard(methodId);
    if (card === undefined) throw new Error(`The sandbox has no card ${methodId}`);
    return card;
  }

  /** Undefined for a card that was never saved. */
  async findCard(methodId: string): Promise<SandboxCardName | undefined> {
    const { environmentId } = this;
    const method = await retryTransient(() =>
      this.books.methods.findOne({ _id: methodId, environmentId }),
    );
    return method !== null && isSandboxCardName(method.card) ? method.card : undefined;
  }

  /** Customer whose payment was authorized: the first customer who used it. */
  async holderOf(transactionId: string, customerId: string): Promise<string> {
    const { environmentId } = this;
    const _id = this.authorizationIdOf(transactionId);
    const document = { _id, environmentId, customerId, chargeKey: null };
    if (await inserted(() => this.books.newAuthorizations.insert(document))) return customerId;
    const found = await retryTransient(() => this.books.authorizations.findOne({ _id }));
    if (found === null) throw new Error(`Authorization ${transactionId} not found`);
    return found.customerId;
  }

  /**
   * True if the charge with the key captures the authorization. Only one charge does; another
   * charge of the same customer may replace it only after it has certainly failed.
   */
  async claimAuthorization(
    transactionId: string,
    { key, customerId }: { readonly key: string; readonly customerId: string },
  ): Promise<boolean> {
    const _id = this.authorizationIdOf(transactionId);
    // Normally the customer's card was saved before, and nothing has captured the authorization.
    const taken = await retryTransient(() =>
      this.books.authorizations.updateOne(
        { _id, customerId, chargeKey: null },
        { $set: { chargeKey: key } },
      ),
    );
    if (taken.modifiedCount === 1) return true;
    if ((await this.holderOf(transactionId, customerId)) !== customerId) return false;
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const found = await retryTransient(() => this.books.authorizations.findOne({ _id }));
      const holder = found?.chargeKey ?? null;
      if (holder === key) return true;
      if (holder !== null && !(await this.hasFailed(holder))) return false;
      const taken = await retryTransient(() =>
        this.books.authorizations.updateOne(
          { _id, chargeKey: holder },
          { $set: { chargeKey: key } },
        ),
      );
      if (taken.modifiedCount === 1) return true;
    }
    throw tooManyWriters();
  }

  /** Records a refund once; a known key returns the recorded refund. */
  async refund(
    key: string,
    refund: Required<Pick<RefundDocument, 'chargeKey' | 'methodId' | 'amount' | 'createdAt'>>,
  ): Promise<SandboxRefund> {
    const document = { _id: key, environmentId: this.environmentId, ...refund };
    const isNew = await inserted(() => this.books.refunds.insertOne(document));
    const stored = isNew ? document : await this.findRefundDocument(key);
    if (stored === null) throw new Error(`The sandbox has no refund ${key}`);
    return this.toRefund(stored);
  }

  async findRefund(key: string): Promise<SandboxRefund | undefined> {
    const found = await this.findRefundDocument(key);
    return found === null ? undefined : this.toRefund(found);
  }

  private findRefundDocument(key: string): Promise<RefundDocument | null> {
    const { environmentId } = this;
    return retryTransient(() => this.books.refunds.findOne({ _id: key, environmentId }));
  }

  private async toRefund(document: RefundDocument): Promise<SandboxRefund> {
    const { _id: key, methodId, amount = 0n, createdAt = new Date(0) } = document;
    const card = methodId === undefined ? undefined : await this.findCard(methodId);
    return { key, amount, card, createdAt };
  }

  private async next(
    charge: SandboxCharge,
    decide: (charge: CardCharge) => CardAnswer,
  ): Promise<ChargeDocument> {
    const latest = await this.latestOf(charge.methodId);
    const isAuthenticated = await this.isAuthenticated(charge.methodId);
    return this.chargeAfter({ latest, isAuthenticated }, charge, decide);
  }

  private chargeAfter(
    { latest, isAuthenticated }: EarlierCharges,
    { key, isCapture, isPayerPresent, ...charge }: SandboxCharge,
    decide: (charge: CardCharge) => CardAnswer,
  ): ChargeDocument {
    const earlierRenewals = Number(latest?.renewals ?? 0);
    const isFirstCharge = latest === undefined;
    const known = { isFirstCharge, earlierRenewals, isAuthenticated };
    const answer = decide({ amount: charge.amount, isCapture, isPayerPresent, ...known });
    return {
      _id: key,
      environmentId: this.environmentId,
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
      this.books.challenges.findOne({ _id: charge._id, environmentId }),
    );
    return { ...outcome, answer: ended === null ? { kind: 'CHALLENGES' } : answerOf(ended) };
  }

  private authorizationIdOf(transactionId: string): string {
    return derivedId(this.environmentId, 'sandboxAuthorization', transactionId);
  }

  // A charge that is not recorded may still be recorded later; only a failed charge is final.
  private async hasFailed(key: string): Promise<boolean> {
    return (await this.findCharge(key))?.answer.kind === 'FAILS';
  }

  private async isAuthenticated(methodId: string): Promise<boolean> {
    const { environmentId } = this;
    const passed = await retryTransient(() =>
      this.books.challenges.findOne({ environmentId, methodId, isApproved: true }),
    );
    return passed !== null;
  }

  private async findDocument(key: string): Promise<ChargeDocument | undefined> {
    const { environmentId } = this;
    const document = await retryTransient(() =>
      this.books.charges.findOne({ _id: key, environmentId }),
    );
    return document ?? undefined;
  }

  private async latestOf(methodId: string): Promise<ChargeDocument | undefined> {
    const { environmentId } = this;
    const [latest] = await retryTransient(() =>
      this.books.charges.find({ environmentId, methodId }).sort({ ordinal: -1 }).limit(1).toArray(),
    );
    return latest;
  }
}

function tooManyWriters(): DomainError {
  return new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

// Returns false if the key, or the charge's number on the card, is taken.
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
