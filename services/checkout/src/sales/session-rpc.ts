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
  type ListedSession,
  type Session as ProtoSession,
  type SessionServiceServer,
  SessionServiceService,
  SessionStatus as ProtoSessionStatus,
} from '@billing/proto/billing/checkout/v1/session';
import { RedemptionState as ProtoRedemptionState } from '@billing/proto/billing/discount/v1/discount';
import { sessionCallers } from '../callers';
import type { HostedPageStore } from '../hosted-page/store';
import type { InvoiceRecord } from '../invoice/invoice';
import { type InvoicePages, toProtoInvoice, toProtoPaymentError } from '../invoice/rpc';
import type { PaymentMethodStore } from '../payment-method/store';
import { customerSnapshot } from '../peer/customer';
import { discountSnapshot } from '../peer/discount';
import { isOfferGone, priceSnapshot } from '../peer/product';
import type { Peers } from '../peers';
import {
  asksForCard,
  isPastExpiry,
  isPaying,
  isSettled,
  type Session,
  type SessionPhase,
  type SessionRecord,
  sessionTombstone,
} from './session';
import type { SessionCreationWorker } from './create-session';
import { untilEnded } from './session-end-worker';
import { isEnding, redemptionOf } from './session-ending';
import type { SessionInput } from './session-input';
import type { RefusedAttemptStore } from '../collection/refused-attempt-store';
import type { SessionWorker } from './session-worker';

export interface SessionRpcDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly methods: PaymentMethodStore;
  readonly refused: RefusedAttemptStore;
  readonly pages: HostedPageStore;
  readonly peers: Peers;
  readonly creation: SessionCreationWorker;
  readonly worker: SessionWorker;
  readonly clock: Clock;
}

type StoredSession = Stored<SessionRecord>;

/** RPCs of checkout sessions. */
export function sessionRpc(dependencies: SessionRpcDependencies) {
  const { sessions, worker, refused } = dependencies;
  return rpcService<SessionServiceServer>(
    SessionServiceService,
    {
      createSession: async (request, context) => {
        const input = fromProtoSessionInput(request, dependencies.pages);
        const made = await dependencies.creation.create(input, context);
        const visit = input.isForVisitor
          ? dependencies.pages.visitOf(made.session.state.id)
          : undefined;
        return { ...toAnswer(made, dependencies), visit };
      },

      getSession: async ({ id }, context) => {
        const stored = await endIfDue(
          await known(id, context, dependencies),
          context,
          dependencies,
        );
        const ended = isEnding(stored.state)
          ? await untilEnded(stored, context, dependencies)
          : stored;
        return {
          ...(await toPaymentAnswer(ended, context, dependencies)),
          isPaying: isPaying(ended.state),
        };
      },

      paySession: async ({ id, paymentMethodId, returnUrl, clientNetwork }, context) => {
        const client = { resourceId: id, network: clientNetwork };
        await refused.check(client, context);
        const stored = await endIfDue(
          await known(id, context, dependencies),
          context,
          dependencies,
        );
        await checkMethod(stored.state, paymentMethodId, context, dependencies);
        await worker.pay(id, { paymentMethodId, returnUrl }, context);
        const paid = await untilSettled(id, context, dependencies);
        if (wasRefused(stored, paid)) await refused.record(client, context);
        return toPaymentAnswer(paid, context, dependencies);
      },

      answerSessionChallenge: async ({ id, attempt, approved, clientNetwork }, context) => {
        const stored = await known(id, context, dependencies);
        await worker.answerChallenge(id, { attempt, approved }, context);
        const answered = await untilSettled(id, context, dependencies);
        const client = { resourceId: id, network: clientNetwork };
        if (wasRefused(stored, answered)) await refused.record(client, context);
        return toPaymentAnswer(answered, context, dependencies);
      },

      checkSessionRedemption: async ({ sessionId, discountId }, context) => {
        if (!isId(sessionId)) return { state: protoRedemption.RELEASED };
        const store = sessions.within(context);
        const { state } =
          (await store.find(sessionId)) ?? (await store.insert(sessionTombstone(sessionId))).stored;
        return { state: protoRedemption[redemptionOf(state, discountId)] };
      },

      listSessions: async ({ page, perPage }, context) => {
        const { data, total } = await sessions.within(context).list({ page, perPage });
        return {
          sessions: data.flatMap((stored) => toListedSession(stored, dependencies) ?? []),
          total,
        };
      },
    },
    { callers: sessionCallers },
  );
}

// True if a payment has failed since the session was read: each failure is recorded in the write
// that ends its payment.
function wasRefused(before: StoredSession, after: StoredSession): boolean {
  if (before.state.isTombstone || after.state.isTombstone) return false;
  const { phase, challenge, lastPaymentError } = after.state;
  const isOpen = phase === 'READY' && challenge === undefined && lastPaymentError !== undefined;
  return isOpen && after.version > before.version;
}

async function known(
  id: string,
  context: CallContext,
  { sessions }: SessionRpcDependencies,
): Promise<StoredSession> {
  const stored = await sessions.within(context).get(id);
  if (stored.state.isTombstone) throw notFound('Checkout session');
  return stored;
}

/**
 * Applies earlier due work before this call: ends a session that has expired, or whose product or
 * discount was removed.
 */
async function endIfDue(
  stored: StoredSession,
  context: CallContext,
  { worker, peers }: SessionRpcDependencies,
): Promise<StoredSession> {
  const { state } = stored;
  if (state.isTombstone || state.phase !== 'READY') return stored;
  if (isPastExpiry(state, context.now)) return worker.expireDue(state.id, context);
  return (await isOfferGone(peers, state, context)) ? worker.withdraw(state.id, context) : stored;
}

// A method of another customer counts as unknown.
async function checkMethod(
  session: SessionRecord,
  paymentMethodId: string | undefined,
  context: CallContext,
  { methods }: SessionRpcDependencies,
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

/** Waits until the purchase is delivered, within the call's deadline. */
function untilSettled(
  id: string,
  context: CallContext,
  { sessions }: SessionRpcDependencies,
): Promise<StoredSession> {
  return sessions.waitFor(id, context, {
    isReached: ({ state }) => isSettled(state),
    until: answerBy(context),
  });
}

function toAnswer(
  { session, invoice }: { session: StoredSession; invoice: Stored<InvoiceRecord> | undefined },
  { pages }: SessionRpcDependencies,
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

/** Undefined for a tombstone. */
function toListedSession(
  stored: StoredSession,
  { pages }: SessionRpcDependencies,
): ListedSession | undefined {
  const { state } = stored;
  if (state.isTombstone) return undefined;
  const { discountId, phase } = state;
  return {
    session: toProtoSession({ ...stored, state }, pages),
    redemptionState:
      discountId === undefined
        ? ProtoRedemptionState.REDEMPTION_STATE_UNSPECIFIED
        : protoRedemption[redemptionOf(state, discountId)],
    isChanging: phase === 'CREATING' || phase === 'PAYING' || isEnding(state),
  };
}

async function toPaymentAnswer(
  stored: StoredSession,
  context: CallContext,
  dependencies: SessionRpcDependencies,
) {
  const { state } = stored;
  if (state.isTombstone) throw notFound('Checkout session');
  const invoice = await dependencies.invoices.within(context).find(state.invoiceId);
  return { ...toAnswer({ session: stored, invoice }, dependencies), action: actionOf(stored) };
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

/** A session as returned and announced. */
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
    discountLost: state.isDiscountLost || undefined,
    checkoutLinkId: state.checkoutLinkId,
    invoiceId: total === undefined ? undefined : state.invoiceId,
    subscriptionId: phase === 'COMPLETE' ? state.subscriptionId : undefined,
    status: protoStatus[phase],
    checkoutUrl: pages.urlOf({ kind: 'CHECKOUT_SESSION', resourceId: state.id }, state.pageHash),
    successUrl: state.successUrl,
    cancelUrl: state.cancelUrl,
    expiresAt: state.expiresAt,
    completedAt: state.completedAt,
    lastPaymentError: toProtoPaymentError(error),
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

function fromProtoSessionInput(
  request: CreateSessionRequest,
  pages: Pick<HostedPageStore, 'sessionOfVisit'>,
): SessionInput {
  return {
    customerId: request.customerId,
    priceId: request.priceId,
    productId: request.productId,
    quantity: request.quantity ?? 1,
    checkoutLinkId: request.checkoutLinkId,
    successUrl: request.successUrl,
    cancelUrl: request.cancelUrl,
    discountId: request.discountId,
    isForVisitor: request.forVisitor ?? false,
    earlierSessionId: pages.sessionOfVisit(request.earlierVisit ?? ''),
    metadata: request.metadata ?? {},
  };
}
