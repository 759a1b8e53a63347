import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { atBoundary } from '@billing/chassis/failpoint';
import { derivedId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import { customerSnapshot } from '../peer/customer';
import { discountDigest, holdRedemption } from '../peer/discount';
import type { Peers } from '../peer/peers';
import { nextCodeRound, removeCode } from './discount-code';
import {
  makeReady,
  makeReadyInFull,
  refuseSession,
  type Session,
  type SessionRecord,
} from './session';
import type { SessionInvoices } from '../collection/session-invoice-worker';
import { toNewSessionInvoice, totalOfPurchase } from './purchase';
import type { BillingSettings } from '../seller/billing-settings';
import type { BillingSettingsStore } from '../seller/billing-settings-store';
import type { BuyerFacts } from '../tax/finalization';
import { buyerFactsOf } from '../tax/finalization-message';

/** A session, stored or not, as far as its invoice depends on it. */
type PricedSession = Parameters<typeof toNewSessionInvoice>[0] & Pick<Session, 'codes'>;

type SessionContext = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

export interface SessionPreparerDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly sessionInvoices: SessionInvoices;
  readonly settings: Pick<BillingSettingsStore, 'read' | 'readForInvoice'>;
  readonly peers: Peers;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Steps that follow the first write of a session. Each can be retried; the creating call runs them
 * inline, otherwise the relay runs the session's commands.
 */
export class SessionPreparer {
  constructor(private readonly dependencies: SessionPreparerDependencies) {}

  /**
   * Reserves the discount of a CREATING session. The session becomes READY, or ends because the
   * discount cannot be redeemed.
   */
  async reserve(session: Session, context: CallContext): Promise<Stored<SessionRecord>> {
    const terms = await holdRedemption(this.dependencies.peers, session, context);
    const { promisedDiscount } = session;
    const isPromised = promisedDiscount === undefined || promisedDiscount === discountDigest(terms);
    if (terms !== undefined && isPromised) return this.makeReady(session, terms, context);
    if (session.isDiscountOptional && isPromised) return this.makeReadyInFull(session, context);
    return this.dependencies.sessions
      .within(context)
      .mutate(session.id, (record) => refuseSession(record, 'DISCOUNT_NOT_VALID'));
  }

  /** Makes a session READY whose discount is reserved or that has none. */
  makeReady(
    session: Session,
    discount: string | undefined,
    context: CallContext,
  ): Promise<Stored<SessionRecord>> {
    const total = totalOfPurchase({ ...session, snapshots: { ...session.snapshots, discount } });
    return this.dependencies.sessions
      .within(context)
      .mutate(session.id, (record) => makeReady(record, { total, discount }));
  }

  private makeReadyInFull(session: Session, context: CallContext): Promise<Stored<SessionRecord>> {
    const total = totalOfPurchase(session);
    return this.dependencies.sessions
      .within(context)
      .mutate(session.id, (record, now) => makeReadyInFull(record, { total, now }));
  }

  /** Returns the invoice of a session that is or was READY, creating it if absent. */
  async invoiceOf(session: Session, context: SessionContext): Promise<Stored<InvoiceRecord>> {
    const found = await this.dependencies.invoices.within(context).find(session.invoiceId);
    return found ?? this.openInvoice(session, context);
  }

  /** Creates the invoice of a session that is or was READY. */
  async openInvoice(session: Session, context: SessionContext): Promise<Stored<InvoiceRecord>> {
    const invoice = await this.describeInvoice(session, context);
    return atBoundary('checkoutSession', 'openInvoice', () =>
      this.dependencies.sessionInvoices.open(invoice, context),
    );
  }

  /** The invoice that a session would get now; stores nothing. */
  async quoteInvoice(session: PricedSession, context: SessionContext): Promise<Invoice> {
    const invoice = await this.describeInvoice(session, context);
    return this.dependencies.sessionInvoices.quote(invoice, context);
  }

  private async describeInvoice(session: PricedSession, context: SessionContext) {
    const written = await this.dependencies.settings.readForInvoice(context);
    const replaced = await this.replacedBy(session, context);
    const buyer = buyerOf(session, replaced);
    // A session begun with tax off stays without tax.
    const isTaxed = replaced === undefined || replaced.finalization?.taxes !== undefined;
    const settings = isTaxed ? written.settings : withoutTax(written.settings);
    // An estimate until the payment, which makes it final.
    const terms = { ...written, settings, buyer, at: context.now, isFinal: false };
    return { ...toNewSessionInvoice(session), terms };
  }

  /** Takes a typed code off: an invoice without its discount takes the place of the session's. */
  async removeCode(session: Session, context: SessionContext): Promise<Stored<SessionRecord>> {
    const { id } = session;
    // The invoice that is to be replaced may still be missing after a crash.
    await this.invoiceOf(session, context);
    const round = nextCodeRound(session);
    const snapshots = { ...session.snapshots, discount: undefined };
    const total = totalOfPurchase({ ...session, snapshots });
    const invoiceId = derivedId(context.tenant.environmentId, id, 'invoice', round);
    // Neither due work nor the missing invoice takes the code off.
    context.storing?.close();
    const removed = await this.dependencies.sessions
      .within(context)
      .mutate(id, (record) => removeCode(record, { round, total, invoiceId }));
    return this.replaceInvoiceForCaller(removed, session, context);
  }

  /** Replaces the invoice after a stored change of the code, as long as the caller can wait. */
  replaceInvoiceForCaller(
    stored: Stored<SessionRecord>,
    session: Pick<Session, 'invoiceId'>,
    context: SessionContext,
  ): Promise<Stored<SessionRecord>> {
    const { logger } = this.dependencies;
    const { storing } = context;
    const replacing = this.replaceInvoice(stored, session, context);
    return elseAsWritten(stored, replacing, { logger, storing, sessionId: stored.state.id });
  }

  /** Creates the session's invoice, and voids the one that it has replaced, as the relay does. */
  async replaceInvoice(
    stored: Stored<SessionRecord>,
    { invoiceId: replacedId }: Pick<Session, 'invoiceId'>,
    context: SessionContext,
  ): Promise<Stored<SessionRecord>> {
    const { state } = stored;
    if (state.isTombstone || state.invoiceId === replacedId) return stored;
    await this.invoiceOf(state, context);
    const { id: sessionId, customerId, currency } = state;
    const replaced = { invoiceId: replacedId, sessionId, customerId, currency };
    await this.dependencies.sessionInvoices.void(replaced, context);
    return stored;
  }

  /** The invoice that a discount code has replaced; undefined if the session has its first one. */
  private async replacedBy(
    { codes }: Pick<Session, 'codes'>,
    context: SessionContext,
  ): Promise<Invoice | undefined> {
    const replacedId = codes?.replacedInvoiceId;
    if (replacedId === undefined) return undefined;
    const { state } = await this.dependencies.invoices.within(context).get(replacedId);
    return state.isTombstone ? undefined : state;
  }
}

// What the payer has typed is on the invoice that a discount code has replaced.
function buyerOf({ snapshots }: Pick<Session, 'snapshots'>, replaced?: Invoice): BuyerFacts {
  const facts = buyerFactsOf(customerSnapshot.read(snapshots.customer));
  const buyer = replaced?.finalization?.parties?.buyer;
  return buyer === undefined ? facts : { ...facts, buyer };
}

function withoutTax(settings: BillingSettings): BillingSettings {
  return { ...settings, seller: { ...settings.seller, tax: null } };
}
