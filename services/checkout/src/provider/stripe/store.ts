import type { Collection, Db } from 'mongodb';
import { type KeyClaim, KeyClaims } from '@billing/chassis/key-claims';
import { duplicateKeyIndex, retireUniqueIndex, retryTransient } from '@billing/chassis/mongo';
import { type DeclineCode, isDeclineCode } from '../port/decline';
import type { StripeAmount } from './outcome';

/** Permanent record for a charge's key: a payment at Stripe, or the refusal to create one. */
export type StripePayment =
  | ({ readonly kind: 'INTENT'; readonly paymentIntentId: string } & StripeAmount)
  | { readonly kind: 'REFUSED'; readonly failureCode: DeclineCode };

interface PaymentDocument {
  /** `<environment>:<key>`. */
  readonly _id: string;
  readonly environmentId: string;
  /** The PaymentIntent, claimed for the key before; null for a refusal. */
  readonly payment: string | null;
  readonly amount: number | bigint | null;
  readonly currency: string | null;
  readonly failureCode: string | null;
}

interface CustomerDocument {
  /** `<environment>:<customer>`. */
  readonly _id: string;
  readonly environmentId: string;
  readonly customerId: string;
  /** Claimed for the customer before. */
  readonly stripeCustomerId: string;
}

/**
 * Creates the indexes that all environments share, and claims what an earlier version stored under
 * unique indexes.
 */
export async function ensureStripeIndexes(db: Db): Promise<void> {
  const claims = new KeyClaims(db);
  await claims.ensureIndexes();
  const payments = db.collection<PaymentDocument>('stripePayments');
  await retireUniqueIndex(payments, 'payment', () => claims.adopt(unclaimedPayments(payments)));
  const customers = db.collection<CustomerDocument>('stripeCustomers');
  await retireUniqueIndex(customers, 'stripeCustomer', () =>
    claims.adopt(unclaimedCustomers(customers)),
  );
}

async function* unclaimedPayments(payments: Collection<PaymentDocument>) {
  for await (const { _id, environmentId, payment } of payments.find({ failureCode: null })) {
    if (payment !== null) yield paymentClaim(payment, { holder: _id, environmentId });
  }
}

async function* unclaimedCustomers(customers: Collection<CustomerDocument>) {
  for await (const { environmentId, customerId, stripeCustomerId } of customers.find()) {
    const holder = `${environmentId}:${customerId}`;
    yield customerClaim(stripeCustomerId, { holder, environmentId });
  }
}

type Holder = Pick<KeyClaim, 'holder' | 'environmentId'>;

// One payment is never recorded for two keys, in any environment.
function paymentClaim(paymentIntentId: string, holder: Holder): KeyClaim {
  return { _id: `stripePayments.payment:${paymentIntentId}`, ...holder, version: 1 };
}

// A customer cannot reach cards that another customer saved.
function customerClaim(stripeCustomerId: string, holder: Holder): KeyClaim {
  return { _id: `stripeCustomers.stripeCustomerId:${stripeCustomerId}`, ...holder, version: 1 };
}

/**
 * Environment and invoice of a PaymentIntent's charge. Found without an environment, by its unique
 * id.
 */
export async function findStripeCharge(
  db: Db,
  paymentIntentId: string,
): Promise<{ environmentId: string; invoiceId: string } | undefined> {
  const { _id } = paymentClaim(paymentIntentId, { holder: '', environmentId: '' });
  const key = (await new KeyClaims(db).find(_id))?.holder;
  if (key === undefined) return undefined;
  const payments = db.collection<PaymentDocument>('stripePayments');
  const found = await retryTransient(() =>
    payments.findOne({ _id: key, payment: paymentIntentId }),
  );
  const [environmentId, invoiceId] = found?._id.split(':') ?? [];
  if (environmentId === undefined || invoiceId === undefined) return undefined;
  return { environmentId, invoiceId };
}

/**
 * Mapping between our objects and Stripe's, in one environment. Entries are only inserted, and the
 * first one stands; only the entry of a customer deleted at Stripe is removed.
 */
export class StripeStore {
  private readonly claims: KeyClaims;
  private readonly payments: Collection<PaymentDocument>;
  private readonly customers: Collection<CustomerDocument>;

  constructor(
    db: Db,
    private readonly environmentId: string,
  ) {
    this.claims = new KeyClaims(db);
    this.payments = db.collection<PaymentDocument>('stripePayments');
    this.customers = db.collection<CustomerDocument>('stripeCustomers');
  }

  async findPayment(key: string): Promise<StripePayment | undefined> {
    const document = await retryTransient(() => this.payments.findOne({ _id: this.idOf(key) }));
    return document === null ? undefined : toPayment(document);
  }

  /**
   * Records the payment for a key and returns the recorded one: an earlier record stands. Undefined
   * if the payment is recorded for another key.
   */
  async claimPayment(key: string, payment: StripePayment): Promise<StripePayment | undefined> {
    const isClaimed = payment.kind === 'REFUSED' || (await this.takePayment(key, payment));
    const isInserted =
      isClaimed && (await insertOnce(this.payments, this.toPaymentDocument(key, payment)));
    return isInserted ? payment : this.findPayment(key);
  }

  /** The customer at Stripe to which new cards are saved. */
  async customerOf(customerId: string): Promise<string | undefined> {
    const id = this.idOf(customerId);
    const document = await retryTransient(() => this.customers.findOne({ _id: id }));
    return document?.stripeCustomerId;
  }

  /**
   * Records a customer at Stripe as the one to which new cards are saved and returns the recorded
   * one: an earlier record stands.
   */
  async claimCustomer(customerId: string, stripeCustomerId: string): Promise<string | undefined> {
    const isClaimed = await this.takeCustomer(customerId, stripeCustomerId);
    const isInserted = isClaimed && (await this.insertCustomer(customerId, stripeCustomerId));
    return isInserted ? stripeCustomerId : this.customerOf(customerId);
  }

  /** Removes a customer who was deleted at Stripe, with all cards; another record may follow. */
  async removeCustomer(customerId: string, stripeCustomerId: string): Promise<void> {
    const holder = this.idOf(customerId);
    const { deletedCount } = await retryTransient(() =>
      this.customers.deleteOne({ _id: holder, stripeCustomerId }),
    );
    if (deletedCount === 0) return;
    await this.claims.release(customerClaim(stripeCustomerId, this.held(holder)));
  }

  /**
   * Records a customer created elsewhere at Stripe for one of ours; false if another customer has
   * it.
   */
  async adoptCustomer(customerId: string, stripeCustomerId: string): Promise<boolean> {
    if (!(await this.takeCustomer(customerId, stripeCustomerId))) return false;
    await this.insertCustomer(customerId, stripeCustomerId);
    return true;
  }

  // A payment is written once per key, so the claim of a key with another payment is void.
  private async takePayment(
    key: string,
    { paymentIntentId }: Extract<StripePayment, { kind: 'INTENT' }>,
  ): Promise<boolean> {
    const claim = paymentClaim(paymentIntentId, this.held(this.idOf(key)));
    const other = await this.claims.take(claim);
    if (other === undefined) return true;
    const held = await retryTransient(() => this.payments.findOne({ _id: other.holder }));
    if (held === null || held.payment === paymentIntentId) return false;
    return this.claims.takeOver(other, claim);
  }

  private async takeCustomer(customerId: string, stripeCustomerId: string): Promise<boolean> {
    const claim = customerClaim(stripeCustomerId, this.held(this.idOf(customerId)));
    return (await this.claims.take(claim)) === undefined;
  }

  private held(holder: string): Holder {
    return { holder, environmentId: this.environmentId };
  }

  private insertCustomer(customerId: string, stripeCustomerId: string): Promise<boolean> {
    const { environmentId } = this;
    const _id = this.idOf(customerId);
    return insertOnce(this.customers, { _id, environmentId, customerId, stripeCustomerId });
  }

  private toPaymentDocument(key: string, payment: StripePayment): PaymentDocument {
    const { environmentId } = this;
    const _id = this.idOf(key);
    if (payment.kind === 'REFUSED') {
      const { failureCode } = payment;
      const nothing = { payment: null, amount: null, currency: null };
      return { _id, environmentId, ...nothing, failureCode };
    }
    const { paymentIntentId, amount, currency } = payment;
    return {
      _id,
      environmentId,
      payment: paymentIntentId,
      amount,
      currency,
      failureCode: null,
    };
  }

  private idOf(key: string): string {
    return `${this.environmentId}:${key}`;
  }
}

function toPayment(document: PaymentDocument): StripePayment {
  const { _id, payment, amount, currency, failureCode } = document;
  if (failureCode !== null && isDeclineCode(failureCode)) return { kind: 'REFUSED', failureCode };
  if (payment === null || amount === null || currency === null)
    throw new Error(`The payment ${_id} has no amount`);
  // Stored as a number within the safe integers; the driver may return it as a bigint.
  return { kind: 'INTENT', paymentIntentId: payment, amount: Number(amount), currency };
}

// Returns false if a document has the same id.
async function insertOnce<D extends { readonly _id: string }>(
  collection: Collection<D>,
  document: D,
): Promise<boolean> {
  try {
    await retryTransient(() => collection.insertOne(document as never));
    return true;
  } catch (error) {
    if (duplicateKeyIndex(error) === undefined) throw error;
    return false;
  }
}
