import type { Stored, InlineCommands } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import {
  answerBy,
  type CallContext,
  mayHaveRun,
  newResourceId,
} from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId, isId } from '@billing/chassis/ids';
import { checkMetadata } from '@billing/chassis/request-fields';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { billedCurrency } from '../invoice/billed-currency-store';
import { withinTime } from '../collection/within-time';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { CheckoutLink } from './checkout-link';
import type { HostedPageStore } from '../hosted-page/store';
import type { InvoiceRecord } from '../invoice/invoice';
import { fromProtoCollectionMethod } from '../invoice/rpc';
import type { Peers } from '../peers';
import {
  abandonUnanswered,
  createSession,
  isAbandoned,
  type NewSession,
  type Session,
  type SessionRecord,
  resumeCreation,
} from './session';
import {
  type BoughtProduct,
  checkDiscountIsKnown,
  fetchCustomer,
  fetchProduct,
} from './session-facts-rpc';
import {
  checkCurrency,
  checkLink,
  checkProduct,
  checkSessionInput,
  discountNotValid,
  type SessionInput,
} from './session-input';
import { endEarlierSession } from './session-end-worker';
import { totalOfPurchase } from './purchase';
import type { SessionPreparer } from './session-preparation-worker';
import { customerSnapshot, priceSnapshot } from './session-snapshot-rpc';

export interface SessionCreationDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly links: AggregateCollection<CheckoutLink>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly pages: HostedPageStore;
  readonly peers: Peers;
  readonly preparer: SessionPreparer;
  readonly clock: Clock;
}

/** A payable session and its invoice. */
export interface PayableSession {
  readonly session: Stored<SessionRecord>;
  readonly invoice: Stored<InvoiceRecord>;
}

// Time after the caller's deadline in which a retry with the same key can resume the session.
const resumeWithinMs = 5_000;

/**
 * Creates sessions. The first write stores the session with the commands of everything left to do,
 * and the call carries them out.
 */
export class SessionCreationWorker {
  constructor(private readonly dependencies: SessionCreationDependencies) {}

  /** Throws the reason if the session cannot be created. */
  async create(input: SessionInput, context: CallContext): Promise<PayableSession> {
    const { id, begun } = await this.findPlace(context);
    if (begun !== undefined)
      return this.createdOrAbandoned(begun, context, this.waitForRelay(begun, input, context));
    const session = await this.describe(id, input, context);
    await endEarlierSession(input, context, this.dependencies);
    const inline = await this.dependencies.sessions
      .within(context)
      .insertWithInlineCommands(createSession(session, context.now));
    const made = inline.inserted
      ? this.make(inline, input, context)
      : this.waitForRelay(inline.stored, input, context);
    return this.createdOrAbandoned(inline.stored, context, made);
  }

  /**
   * Id of the new session, and the record that an earlier call of the same request left there; a
   * retry waits for that record in place of the earlier call. The id of an abandoned session is
   * never used again: the next id follows from it.
   */
  private async findPlace(
    context: CallContext,
  ): Promise<{ id: string; begun?: Stored<SessionRecord> }> {
    let id = newResourceId(context, 'checkoutSession');
    if (!mayHaveRun(context)) return { id };
    const sessions = this.dependencies.sessions.within(context);
    for (;;) {
      if ((await sessions.find(id)) === undefined) return { id };
      const begun = await sessions.mutate(id, (record) =>
        resumeCreation(record, abandonAt(context)),
      );
      if (!isAbandoned(begun.state)) return { id, begun };
      id = derivedId(context.tenant.environmentId, id, 'again');
    }
  }

  /**
   * Returns the session if it is created before the deadline. Otherwise the session ends, because
   * no caller knows its address.
   */
  private async createdOrAbandoned(
    { state: { id } }: Stored<SessionRecord>,
    context: CallContext,
    making: Promise<PayableSession>,
  ): Promise<PayableSession> {
    const msLeft = answerBy(context).getTime() - this.dependencies.clock.now().getTime();
    try {
      return await withinTime(Math.max(msLeft, 0), making);
    } catch (error) {
      if (!isRefusal(error)) {
        await this.dependencies.sessions
          .within(context)
          .mutate(id, (record) => abandonUnanswered(record, abandonAt(context)));
      }
      throw error;
    }
  }

  private async make(
    { stored, markDone, leaveToRelay }: InlineCommands<SessionRecord>,
    input: SessionInput,
    context: CallContext,
  ): Promise<PayableSession> {
    try {
      const { session, state } = requireCreated(await this.reserved(stored, context), input);
      const invoice = await this.dependencies.preparer.openInvoice(state, context);
      // Not awaited; the relay carries out what is left.
      void markDone().catch(leaveToRelay);
      return { session, invoice };
    } catch (error) {
      leaveToRelay();
      // The caller may still get a session that the relay can finish.
      if (isRefusal(error)) throw error;
      return this.waitForRelay(stored, input, context);
    }
  }

  private async reserved(
    stored: Stored<SessionRecord>,
    context: CallContext,
  ): Promise<Stored<SessionRecord>> {
    const { state } = stored;
    if (state.isTombstone || state.phase !== 'CREATING') return stored;
    return this.dependencies.preparer.reserve(state, context);
  }

  /** Waits for the relay to finish a begun session. */
  private async waitForRelay(
    begun: Stored<SessionRecord>,
    input: SessionInput,
    context: CallContext,
  ): Promise<PayableSession> {
    const { session, state } = requireCreated(await this.untilCreated(begun, context), input);
    return { session, invoice: await this.dependencies.preparer.invoiceOf(state, context) };
  }

  private async describe(
    id: string,
    input: SessionInput,
    context: CallContext,
  ): Promise<NewSession> {
    const metadataProblems = checkMetadata(input.metadata);
    checkSessionInput(input, { isId, metadataProblems });
    const { peers } = this.dependencies;
    const [customer, product, link] = await firstRefusal([
      fetchCustomer(peers, input.customerId, context),
      fetchProduct(peers, input, context),
      this.activeLink(input.checkoutLinkId, context),
      checkDiscountIsKnown(peers, input.discountId, context),
    ]);
    checkProduct(product.facts, input);
    checkCurrency(product.facts, input, await this.fixedCurrency(customer, product, context));
    checkLink(link, product.facts);
    const session = {
      id,
      ...offerOf(product, input),
      ...derivedIdsOf(id, product, context),
      customerId: customer.id,
      collectionMethod:
        fromProtoCollectionMethod(customer.collectionMethod) ?? 'CHARGE_AUTOMATICALLY',
      // The link's value applies if the call names none.
      discountId: input.discountId ?? link?.discountId,
      isDiscountOptional: input.discountId === undefined && link?.discountId !== undefined,
      isForVisitor: input.isForVisitor,
      checkoutLinkId: link?.id,
      successUrl: input.successUrl ?? link?.successUrl,
      cancelUrl: input.cancelUrl ?? link?.returnUrl,
      metadata: input.metadata,
      snapshots: {
        customer: customerSnapshot.write(customer),
        price: priceSnapshot.write(product.price),
        discount: undefined,
      },
      abandonAt: abandonAt(context),
      pageHash: this.dependencies.pages.hashOf(id),
    };
    const isKnown = session.discountId === undefined;
    return { ...session, total: isKnown ? totalOfPurchase(session) : undefined };
  }

  // A customer stored before currencies were fixed has the currency of their invoices.
  private async fixedCurrency(
    { id, currency, currencyFixed }: Customer,
    { facts: { price } }: BoughtProduct,
    context: CallContext,
  ): Promise<string | undefined> {
    if (currencyFixed === true || price.currency === currency) return currency;
    return billedCurrency(id, this.dependencies.invoices.within(context));
  }

  private async activeLink(
    id: string | undefined,
    context: CallContext,
  ): Promise<CheckoutLink | undefined> {
    if (id === undefined) return undefined;
    const { state: link } = await this.dependencies.links.within(context).get(id);
    if (!link.active) throw notFound('Checkout link');
    return link;
  }

  private untilCreated(
    { state: { id } }: Stored<SessionRecord>,
    context: CallContext,
  ): Promise<Stored<SessionRecord>> {
    return this.dependencies.sessions.waitFor(id, context, {
      isReached: ({ state }) => state.isTombstone || state.phase !== 'CREATING',
      until: answerBy(context),
    });
  }
}

function requireCreated(
  session: Stored<SessionRecord>,
  { discountId }: Pick<SessionInput, 'discountId'>,
): { session: Stored<SessionRecord>; state: Session } {
  const { state } = session;
  if (state.isTombstone || state.refusal === 'ABANDONED') {
    const message = 'The earlier request was abandoned; retry with another Idempotency-Key';
    throw new DomainError('failed_precondition', 'SESSION_ABANDONED', message);
  }
  if (state.refusal === 'DISCOUNT_NOT_VALID') {
    throw discountNotValid(discountId === undefined ? 'checkoutLinkId' : 'discountId');
  }
  if (state.phase === 'CREATING') {
    throw new DomainError('unavailable', 'SESSION_NOT_MADE', 'Service unavailable');
  }
  return { session, state };
}

function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.kind !== 'unavailable';
}

function offerOf({ facts, price: { id: priceId } }: BoughtProduct, { quantity }: SessionInput) {
  const { id, name, description, price } = facts;
  const { currency, billingInterval, intervalCount, trialDays } = price;
  return {
    productId: id,
    productName: name,
    productDescription: description,
    priceId,
    currency,
    quantity,
    recurrence: { billingInterval, intervalCount },
    trialDays,
  };
}

// The first invoice of a subscription is the session's, so both derive the same invoice id.
function derivedIdsOf(
  sessionId: string,
  { facts: { price } }: BoughtProduct,
  { tenant: { environmentId } }: CallContext,
): Pick<NewSession, 'invoiceId' | 'subscriptionId'> {
  if (price.billingInterval === 'ONE_TIME') {
    return {
      invoiceId: derivedId(environmentId, sessionId, 'invoice'),
      subscriptionId: undefined,
    };
  }
  const subscriptionId = derivedId(environmentId, 'checkout-session', sessionId);
  const invoiceId =
    price.trialDays > 0
      ? derivedId(environmentId, subscriptionId, 'trial')
      : derivedId(environmentId, subscriptionId, 'period', 0);
  return { invoiceId, subscriptionId };
}

function abandonAt({ deadline }: CallContext): Date {
  return new Date(deadline.getTime() + resumeWithinMs);
}

/**
 * Awaits all in parallel; of several refusals the first in this order is thrown, so that the same
 * call always gets the same answer.
 */
async function firstRefusal<T extends readonly unknown[]>(asked: {
  readonly [K in keyof T]: Promise<T[K]>;
}): Promise<T> {
  const settled = await Promise.allSettled(asked);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return Promise.all(asked);
}
