import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { atBoundary } from '@billing/chassis/failpoint';
import type { InvoiceRecord } from './invoice';
import type { Peers } from './peers';
import {
  makeReady,
  makeReadyInFull,
  refuseSession,
  type Session,
  type SessionRecord,
} from './session';
import type { SessionInvoices } from './session-invoice-client';
import { toNewSessionInvoice, totalOfPurchase } from './session-invoice-rpc';
import { holdRedemption } from './session-redemption-rpc';

/** What sessions are prepared with. */
export interface SessionPreparerDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly sessionInvoices: SessionInvoices;
  readonly peers: Peers;
}

/** The steps that follow the first write of a session. Each may be repeated; whoever made the session takes them at once, else its commands do. */
export class SessionPreparer {
  constructor(private readonly dependencies: SessionPreparerDependencies) {}

  /** Holds the discount of a session that is CREATING: then it is READY, or it has ended because the discount cannot be redeemed. */
  async reserve(session: Session, context: CallContext): Promise<Stored<SessionRecord>> {
    const terms = await holdRedemption(this.dependencies.peers, session, context);
    if (terms !== undefined) return this.makeReady(session, terms, context);
    if (session.isDiscountOptional) return this.makeReadyInFull(session, context);
    return this.dependencies.sessions
      .within(context)
      .mutate(session.id, (record) => refuseSession(record, 'DISCOUNT_NOT_VALID'));
  }

  /** A session whose discount is held, or that has none, may be paid as soon as its invoice is there. */
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

  /** The invoice of a session that is READY, or was, as it stands; made if it is not there. */
  async invoiceOf(session: Session, context: CallContext): Promise<Stored<InvoiceRecord>> {
    const found = await this.dependencies.invoices.within(context).find(session.invoiceId);
    return found ?? this.openInvoice(session, context);
  }

  /** Makes the invoice of a session that is READY, or was. */
  openInvoice(session: Session, context: CallContext): Promise<Stored<InvoiceRecord>> {
    return atBoundary('checkoutSession', 'openInvoice', () =>
      this.dependencies.sessionInvoices.open(toNewSessionInvoice(session), context),
    );
  }
}
