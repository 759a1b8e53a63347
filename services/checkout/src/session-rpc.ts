import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { answerBy, type CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { isId } from '@billing/chassis/ids';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput, notFound, unlessNotFound } from '@billing/kernel/domain-error';
import type { PayerAction } from '@billing/proto/billing/checkout/v1/payment';
import {
  type CreateSessionRequest,
  type Session as ProtoSession,
  type SessionServiceServer,
  SessionServiceService,
  SessionStatus as ProtoSessionStatus,
} from '@billing/proto/billing/checkout/v1/session';
import { RedemptionState as ProtoRedemptionState } from '@billing/proto/billing/discount/v1/discount';
import type { HostedPageStore } from './hosted-page-store';
import type { InvoiceRecord } from './invoice';
import { type InvoicePages, toProtoInvoice } from './invoice-rpc';
import { payerMessage } from './payer-message';
import type { PaymentMethodStore } from './payment-method-store';
import type { Peers } from './peers';
import {
  asksForCard,
  isOver,
  isPaying,
  isSettled,
  type Session,
  type SessionPhase,
  type SessionRecord,
  sessionTombstone,
} from './session';
import type { SessionCreationWorker } from './session-creation-worker';
import { isOfferGone } from './session-facts-rpc';
import type { SessionInput } from './session-input';
import { redemptionOf } from './session-redemption';
import { customerSnapshot, discountSnapshot, priceSnapshot } from './session-snapshot-rpc';
import type { SessionWorker } from './session-worker';

// Whoever only looks is not kept waiting by a peer that is down.
const endedWithinMs = 2000;

/** What the calls are answered from. */
export interface SessionRpcParts {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly methods: PaymentMethodStore;
  readonly pages: HostedPageStore;
  readonly peers: Peers;
  readonly creation: SessionCreationWorker;
  readonly worker: SessionWorker;
  readonly clock: Clock;
}

type StoredSession = Stored<SessionRecord>;

/** The calls about checkout sessions. */
export function sessionRpc(parts: SessionRpcParts) {
  const { sessions, worker } = parts;
  return rpcService<SessionServiceServer>(SessionServiceService, {
    createSession: async (request, context) => {
      const made = await parts.creation.create(fromProtoSessionInput(request), context);
      return toAnswer(made, parts);
    },

    getSession: async ({ id }, context) => {
      const stored = await endIfOver(await known(id, context, parts), context, parts);
      const ended = isEnding(stored) ? await untilEnded(stored, context, parts) : stored;
      return { ...(await toPaymentAnswer(ended, context, parts)), isPaying: isPaying(ended.state) };
    },

    paySession: async ({ id, paymentMethodId, returnUrl }, context) => {
      const stored = await endIfOver(await known(id, context, parts), context, parts);
      await checkMethod(stored.state, paymentMethodId, context, parts);
      await worker.pay(id, { paymentMethodId, returnUrl }, context);
      return toPaymentAnswer(await untilSettled(id, context, parts), context, parts);
    },

    answerSessionChallenge: async ({ id, attempt, approved }, context) => {
      await known(id, context, parts);
      await worker.answerChallenge(id, { attempt, approved }, context);
      return toPaymentAnswer(await untilSettled(id, context, parts), context, parts);
    },

    checkSessionRedemption: async ({ sessionId, discountId }, context) => {
      if (!isId(sessionId)) return { state: protoRedemption.RELEASED };
      const store = sessions.within(context);
      const { state } =
        (await store.find(sessionId)) ?? (await store.insert(sessionTombstone(sessionId))).stored;
      return { state: protoRedemption[redemptionOf(state, discountId)] };
    },
  });
}

async function known(
  id: string,
  context: CallContext,
  { sessions }: SessionRpcParts,
): Promise<StoredSession> {
  const stored = await sessions.within(context).get(id);
  if (stored.state.isTombstone) throw notFound('Checkout session');
  return stored;
}

/** What was due before this call is done first: the end of a session whose time is over, or whose product or discount went away. */
async function endIfOver(
  stored: StoredSession,
  context: CallContext,
  { worker, peers }: SessionRpcParts,
): Promise<StoredSession> {
  const { state } = stored;
  if (state.isTombstone || state.phase !== 'READY') return stored;
  if (isOver(state, context.now)) return worker.expireDue(state.id, context);
  return (await isOfferGone(peers, state, context)) ? worker.withdraw(state.id, context) : stored;
}

// A method of another customer is as good as none.
async function checkMethod(
  session: SessionRecord,
  paymentMethodId: string | undefined,
  context: CallContext,
  { methods }: SessionRpcParts,
): Promise<void> {
  if (session.isTombstone || session.phase !== 'READY') return;
  if (paymentMethodId === undefined) {
    if (asksForCard(session)) throw invalidInput({ paymentMethodId: ['Required'] });
    return;
  }
  const method = await unlessNotFound(methods.get(paymentMethodId, context));
  if (method?.customerId !== session.customerId) {
    throw invalidInput({ paymentMethodId: ['Payment method not found'] });
  }
}

/** Until what was bought is there; a payer is not kept waiting longer than the call may take. */
function untilSettled(
  id: string,
  context: CallContext,
  { sessions }: SessionRpcParts,
): Promise<StoredSession> {
  return sessions.waitFor(id, context, {
    isReached: ({ state }) => isSettled(state),
    until: answerBy(context),
  });
}

// Its invoice is not void yet, or its redemption not free.
function isEnding({ state }: StoredSession): boolean {
  return !state.isTombstone && state.phase === 'EXPIRED' && !state.isDelivered;
}

function untilEnded(
  { state: { id } }: StoredSession,
  context: CallContext,
  { sessions, clock }: SessionRpcParts,
): Promise<StoredSession> {
  const latest = Math.min(clock.now().getTime() + endedWithinMs, answerBy(context).getTime());
  return sessions.waitFor(id, context, {
    isReached: (stored) => !isEnding(stored),
    until: new Date(latest),
  });
}

function toAnswer(
  { session, invoice }: { session: StoredSession; invoice: Stored<InvoiceRecord> | undefined },
  { pages }: SessionRpcParts,
) {
  const { state } = session;
  if (state.isTombstone) throw notFound('Checkout session');
  return {
    session: toProtoSession({ ...session, state }, pages),
    invoice:
      invoice === undefined || invoice.state.isTombstone
        ? undefined
        : toProtoInvoice(invoice, pages),
  };
}

async function toPaymentAnswer(
  stored: StoredSession,
  context: CallContext,
  parts: SessionRpcParts,
) {
  const { state } = stored;
  if (state.isTombstone) throw notFound('Checkout session');
  const invoice = await parts.invoices.within(context).find(state.invoiceId);
  return { ...toAnswer({ session: stored, invoice }, parts), action: actionOf(stored) };
}

function actionOf({ state }: StoredSession): PayerAction | undefined {
  if (state.isTombstone || state.challenge === undefined) return undefined;
  const { attempt, redirectUrl } = state.challenge;
  return { attempt, redirectUrl };
}

const protoStatus: Readonly<Record<SessionPhase, ProtoSessionStatus>> = {
  CREATING: ProtoSessionStatus.SESSION_STATUS_OPEN,
  READY: ProtoSessionStatus.SESSION_STATUS_OPEN,
  PAYING: ProtoSessionStatus.SESSION_STATUS_OPEN,
  COMPLETE: ProtoSessionStatus.SESSION_STATUS_COMPLETE,
  EXPIRED: ProtoSessionStatus.SESSION_STATUS_EXPIRED,
};

const protoRedemption: Readonly<Record<ReturnType<typeof redemptionOf>, ProtoRedemptionState>> = {
  HELD: ProtoRedemptionState.REDEMPTION_STATE_HELD,
  CONFIRMED: ProtoRedemptionState.REDEMPTION_STATE_CONFIRMED,
  RELEASED: ProtoRedemptionState.REDEMPTION_STATE_RELEASED,
};

/** A session as it is shown and announced. */
export function toProtoSession(
  { state, tenant, version, createdAt, updatedAt }: Stored<Session>,
  pages: InvoicePages,
): ProtoSession {
  const { snapshots, lastPaymentError: error, total, phase } = state;
  return {
    id: state.id,
    organizationId: tenant.organizationId,
    customerId: state.customerId,
    productId: state.productId,
    priceId: state.priceId,
    quantity: state.quantity,
    discountId: state.discountId,
    checkoutLinkId: state.checkoutLinkId,
    invoiceId: total === undefined ? undefined : state.invoiceId,
    subscriptionId: phase === 'COMPLETE' ? state.subscriptionId : undefined,
    status: protoStatus[phase],
    checkoutUrl: pages.urlOf({ kind: 'CHECKOUT_SESSION', resourceId: state.id }),
    successUrl: state.successUrl,
    cancelUrl: state.cancelUrl,
    expiresAt: state.expiresAt,
    completedAt: state.completedAt,
    lastPaymentError:
      error === undefined ? undefined : { ...error, message: payerMessage(error.code) },
    metadata: state.metadata,
    createdAt,
    updatedAt,
    version: BigInt(version),
    product: {
      name: state.productName,
      description: state.productDescription,
      price: priceSnapshot.read(snapshots.price),
    },
    discount:
      snapshots.discount === undefined ? undefined : discountSnapshot.read(snapshots.discount),
    customer: customerSnapshot.read(snapshots.customer),
  };
}

function fromProtoSessionInput(request: CreateSessionRequest): SessionInput {
  return {
    customerId: request.customerId,
    priceId: request.priceId,
    productId: request.productId,
    quantity: request.quantity ?? 1,
    checkoutLinkId: request.checkoutLinkId,
    successUrl: request.successUrl,
    cancelUrl: request.cancelUrl,
    discountId: request.discountId,
    metadata: request.metadata ?? {},
  };
}
