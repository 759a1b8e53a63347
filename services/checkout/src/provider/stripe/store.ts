import type { Collection, Db } from 'mongodb';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
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
  /**
   * The PaymentIntent, or `none:<_id>`. Unique, so that one payment is never recorded for two keys,
   * in any environment.
   */
  readonly payment: string;
  readonly amount: number | bigint | null;
  readonly currency: string | null;
  readonly failureCode: string | null;
}

interface CustomerDocument {
  /** `<environment>:<customer>`, and `<environment>:<customer>:<Stripe's id>` for further ones. */
  readonly _id: string;
  readonly environmentId: string;
  readonly customerId: string;
  /** Unique: a customer cannot reach cards that another customer saved. */
  readonly stripeCustomerId: string;
}

/** Creates the indexes that all environments share. */
export async function ensureStripeIndexes(db: Db): Promise<void> {
  await ensureIndexes(db.collection('stripePayments'), [
    { name: 'payment', key: { payment: 1 }, unique: true },
  ]);
  await ensureIndexes(db.collection('stripeCustomers'), [
    { name: 'stripeCustomer', key: { stripeCustomerId: 1 }, unique: true },
  ]);
}

/**
 * Environment and invoice of a PaymentIntent's charge. Found without an environment, by its unique
 * id.
 */
export async function findStripeCharge(
  db: Db,
  paymentIntentId: string,
): Promise<{ environmentId: string; invoiceId: string } | undefined> {
  const payments = db.collection<PaymentDocument>('stripePayments');
  const found = await retryTransient(() => payments.findOne({ payment: paymentIntentId }));
  const [environmentId, invoiceId] = found?._id.split(':') ?? [];
  if (environmentId === undefined || invoiceId === undefined) return undefined;
  return { environmentId, invoiceId };
}

/**
 * Mapping between our objects and Stripe's, in one environment. Entries are only inserted, and the
 * first one stands; only the entry of a customer deleted at Stripe is removed.
 */
export class StripeStore {
  private readonly payments: Collection<PaymentDocument>;
  private readonly customers: Collection<CustomerDocument>;

  constructor(
    db: Db,
    private readonly environmentId: string,
  ) {
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
    const isInserted = await insertOnce(this.payments, this.toPaymentDocument(key, payment));
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
    const id = this.idOf(customerId);
    const isInserted = await this.insertCustomer(id, { customerId, stripeCustomerId });
    return isInserted ? stripeCustomerId : this.customerOf(customerId);
  }

  /** Removes a customer who was deleted at Stripe, with all cards; another record may follow. */
  async removeCustomer(customerId: string, stripeCustomerId: string): Promise<void> {
    const id = this.idOf(customerId);
    await retryTransient(() => this.customers.deleteOne({ _id: id, stripeCustomerId }));
  }

  /**
   * Records a customer created elsewhere at Stripe for one of ours; false if another customer has
   * it.
   */
  async adoptCustomer(customerId: string, stripeCustomerId: string): Promise<boolean> {
    const own = await this.claimCustomer(customerId, stripeCustomerId);
    if (own === stripeCustomerId) return true;
    const id = this.idOf(`${customerId}:${stripeCustomerId}`);
    await this.insertCustomer(id, { customerId, stripeCustomerId });
    const holder = await retryTransient(() => this.customers.findOne({ stripeCustomerId }));
    return holder?.environmentId === this.environmentId && holder.customerId === customerId;
  }

  private insertCustomer(
    _id: string,
    customer: Pick<CustomerDocument, 'customerId' | 'stripeCustomerId'>,
  ): Promise<boolean> {
    return insertOnce(this.customers, { _id, environmentId: this.environmentId, ...customer });
  }

  private toPaymentDocument(key: string, payment: StripePayment): PaymentDocument {
    const { environmentId } = this;
    const _id = this.idOf(key);
    if (payment.kind === 'REFUSED') {
      const { failureCode } = payment;
      const nothing = { payment: `none:${_id}`, amount: null, currency: null };
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
  if (amount === null || currency === null) throw new Error(`The payment ${_id} has no amount`);
  // Stored as a number within the safe integers; the driver may return it as a bigint.
  return { kind: 'INTENT', paymentIntentId: payment, amount: Number(amount), currency };
}

// Returns false if a document has the same id or unique key.
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
