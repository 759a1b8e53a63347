import type { AggregateCollection, CommandHandler } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { isNotFound, unlessNotFound } from '@billing/kernel/domain-error';
import type { SoldItems } from '@billing/proto/billing/subscription/v1/subscription';
import type { CreditNoteWorker } from '../credit-note/credit-note-worker';
import { type InvoiceRecord, isVerification, type Payment } from '../invoice/invoice';
import { type InvoicePages, toProtoInvoice } from '../invoice/rpc';
import { customerSnapshot, fetchCustomer } from '../peer/customer';
import { discountSnapshot, heldRedemption } from '../peer/discount';
import { priceSnapshot } from '../peer/product';
import type { Peers } from '../peer/peers';
import { type Session, sessionOf, type SessionRecord } from './session';
import { recordDelivered, recordVoided } from './session-ending';
import { toProtoTaxId } from '../seller/seller-message';
import { buyerFactsOf } from '../tax/finalization-message';
import { typedFacts } from '../tax/typed-buyer';
import type { SessionInvoices } from '../collection/session-invoice-worker';
import type { SessionPreparer } from './session-preparation-worker';

export interface SessionCommandDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly sessionInvoices: SessionInvoices;
  readonly preparer: SessionPreparer;
  readonly creditNotes: Pick<CreditNoteWorker, 'creditUndelivered'>;
  readonly pages: InvoicePages;
  readonly peers: Peers;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Handlers of the commands of a session. Each may run again after it was carried out, also after
 * the command of the session's end.
 */
export function sessionCommands(
  dependencies: SessionCommandDependencies,
): Record<string, CommandHandler> {
  const { sessions, sessionInvoices, preparer, creditNotes, peers } = dependencies;
  const read = async (id: string, context: CallContext) =>
    sessionOf((await sessions.within(context).get(id)).state);
  const recordDone = (id: string, context: CallContext) =>
    sessions.within(context).mutate(id, recordDelivered);
  return {
    reserveRedemption: async (_payload, { aggregateId, context }) => {
      const session = await read(aggregateId, context);
      // The session ended while the command waited: the redemption would never be used.
      if (session.phase !== 'CREATING') return;
      await preparer.reserve(session, context);
    },

    createInvoice: async (_payload, { aggregateId, context }) => {
      const session = await read(aggregateId, context);
      // The commands of an ended session handle this.
      if (session.phase === 'EXPIRED') return;
      // Sessions of earlier releases were READY only with their invoice.
      const { discount } = session.snapshots;
      const isReady = session.phase !== 'CREATING';
      const ready = isReady
        ? session
        : sessionOf((await preparer.makeReady(session, discount, context)).state);
      if (ready.phase !== 'EXPIRED') await preparer.invoiceOf(ready, context);
    },

    voidInvoice: async (_payload, { aggregateId, context }) => {
      const session = await read(aggregateId, context);
      const { id: sessionId, invoiceId, customerId, currency } = session;
      const holder = { invoiceId, sessionId, customerId, currency };
      // A READY session may already hold a number, which then must have an invoice. Before READY
      // there is no number.
      if (session.total !== undefined) await preparer.invoiceOf(session, context);
      const invoice = await sessionInvoices.void(holder, context);
      // The provider has reported late that a payment of it has succeeded.
      if (invoice.state.status === 'PAID') {
        await creditNotes.creditUndelivered(invoice.state, context);
      }
      await sessions.within(context).mutate(sessionId, (record) => recordVoided(record, invoice));
    },

    voidReplaced: async ({ invoiceId }: { invoiceId: string }, { aggregateId, context }) => {
      const { id: sessionId, customerId, currency } = await read(aggregateId, context);
      const holder = { invoiceId, sessionId, customerId, currency };
      const { state } = await sessionInvoices.void(holder, context);
      if (state.status === 'PAID') await creditNotes.creditUndelivered(state, context);
    },

    releaseCode: async (held: { discountId: string; holderId: string }, { context }) => {
      await peers.discount.releaseRedemption(held, context);
    },

    releaseRedemption: async (_payload, { aggregateId, context }) => {
      await peers.discount.releaseRedemption(
        heldRedemption(await read(aggregateId, context)),
        context,
      );
      await recordDone(aggregateId, context);
    },

    confirmRedemption: async (_payload, { aggregateId, context }) => {
      await confirm(await read(aggregateId, context), context, dependencies);
    },

    fixCurrency: async (_payload, { aggregateId, context }) => {
      const { customerId: id, currency } = await read(aggregateId, context);
      await unlessNotFound(peers.customer.fixCurrency({ id, currency }, context));
    },

    fillCustomer: async (_payload, { aggregateId, context }) => {
      await fillCustomer(await read(aggregateId, context), context, dependencies);
    },

    createSubscription: async (_payload, { aggregateId, context }) => {
      await subscribe(await read(aggregateId, context), context, dependencies);
      await recordDone(aggregateId, context);
    },
  };
}

// The customer may have been changed, or deleted, since the payer typed.
async function fillCustomer(
  { customerId: id, invoiceId, snapshots }: Session,
  context: CallContext,
  { invoices, peers }: SessionCommandDependencies,
): Promise<void> {
  const { state } = await invoices.within(context).get(invoiceId);
  const buyer = state.isTombstone ? undefined : state.finalization?.parties?.buyer;
  if (buyer === undefined) return;
  const known = buyerFactsOf(customerSnapshot.read(snapshots.customer)).buyer;
  const { country, taxId, ...texts } = typedFacts(known, buyer);
  if ([country, taxId, ...Object.values(texts)].every((fact) => fact === undefined)) return;
  const typed = {
    ...{ id, ...texts, country: buyer.address?.country ?? undefined },
    taxId: taxId === undefined ? undefined : toProtoTaxId(taxId),
  };
  await unlessNotFound(peers.customer.fillCustomer(typed, context));
}

async function confirm(
  session: Session,
  context: CallContext,
  { peers, logger }: SessionCommandDependencies,
): Promise<void> {
  const held = heldRedemption(session);
  try {
    await peers.discount.confirmRedemption(held, context);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // The redemption is not given back before the session expires, and never after it is complete,
    // so a retry would not find it either.
    logger.error({ alarm: 'redemption_lost', err: error, ...held }, 'discount redemption lost');
  }
}

/** Creates the subscription that a session has sold; a repeat finds it. */
export async function subscribe(
  session: Session,
  context: CallContext,
  { invoices, pages, peers }: Pick<SessionCommandDependencies, 'invoices' | 'pages' | 'peers'>,
): Promise<void> {
  const { snapshots, subscriptionId, completedAt } = session;
  if (subscriptionId === undefined || completedAt === undefined) {
    throw new Error(`Session ${session.id} creates no subscription`);
  }
  const [invoice, customer] = await Promise.all([
    invoices.within(context).get(session.invoiceId),
    unlessNotFound(fetchCustomer(peers, session.customerId, context)),
  ]);
  const { payments } = invoice.state.isTombstone ? { payments: [] } : invoice.state;
  await peers.subscription.createFromCheckout(
    {
      id: subscriptionId,
      customer: customer ?? customerSnapshot.read(snapshots.customer),
      productId: session.productId,
      productName: session.productName,
      price: priceSnapshot.read(snapshots.price),
      quantity: session.quantity,
      otherItems: toProtoOtherItems(session),
      metadata: session.metadata,
      discount:
        snapshots.discount === undefined ? undefined : discountSnapshot.read(snapshots.discount),
      completedAt,
      invoice: toProtoInvoice(invoice, pages),
      // 0 if nothing was charged.
      attempt: payments.find(isSuccessfulCharge)?.number ?? 0,
    },
    context,
  );
}

function toProtoOtherItems({ otherItems = [] }: Session): SoldItems | undefined {
  if (otherItems.length === 0) return undefined;
  return {
    items: otherItems.map(({ productId, productName, price, quantity }) => {
      return { productId, productName, price: priceSnapshot.read(price), quantity };
    }),
  };
}

// A charge that succeeded late, when the invoice was already paid, is an overpayment as a whole.
function isSuccessfulCharge(payment: Payment): boolean {
  const { status, amount, overpayment } = payment;
  return status === 'SUCCEEDED' && overpayment < amount && !isVerification(payment);
}
