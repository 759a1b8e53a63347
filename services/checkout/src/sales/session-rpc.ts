import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { isId } from '@billing/chassis/ids';
import { readPage } from '@billing/chassis/request-fields';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import type { PayerAction } from '@billing/proto/billing/checkout/v1/payment';
import {
  type CreateSessionRequest,
  type ListedSession,
  type ListSessionsRequest,
  type PreviewSessionRequest,
  type Session as ProtoSession,
  type SessionItem,
  type SessionServiceServer,
  SessionServiceService,
  SessionStatus as ProtoSessionStatus,
} from '@billing/proto/billing/checkout/v1/session';
import { RedemptionState as ProtoRedemptionState } from '@billing/proto/billing/discount/v1/discount';
import { sessionEndReasons, sessionStatuses } from '@billing/proto/values/checkout';
import { sessionCallers } from '../peer/callers';
import type { HostedPageStore } from '../hosted-page/store';
import type { InvoiceRecord } from '../invoice/invoice';
import { type InvoicePages, toProtoInvoice, toProtoPaymentError } from '../invoice/rpc';
import { customerSnapshot } from '../peer/customer';
import { discountSnapshot } from '../peer/discount';
import { priceSnapshot } from '../peer/product';
import { itemsOf } from './purchase';
import {
  isPaying,
  type OfferedItem,
  type Session,
  type SessionPhase,
  type SessionRecord,
  sessionTombstone,
} from './session';
import { type BuyerChangeDependencies, changeSessionBuyer } from './update-buyer';
import type { SessionCreationWorker } from './create-session';
import type { PreviewedSession } from './describe-session-preview';
import { answerSessionChallenge, currentSession, paySession } from './pay-session';
import { applyDiscountCode, checkCode, removeDiscountCode } from './update-discount-code';
import { codeRedemptionOf, takesCode } from './discount-code';
import { untilEnded } from './end-session';
import { isEnding, redemptionOf } from './session-ending';
import type { SessionInput } from './session-input';
import {
  listSessions,
  offeredSessions,
  type SessionListFilter,
  type SessionStatus,
} from './session-store';

export interface SessionRpcDependencies extends BuyerChangeDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly pages: HostedPageStore;
  readonly creation: SessionCreationWorker;
}

type StoredSession = Stored<SessionRecord>;

/** RPCs of checkout sessions. */
export function sessionRpc(dependencies: SessionRpcDependencies) {
  const { sessions } = dependencies;
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

      previewSession: (request, context) =>
        dependencies.creation.preview(fromProtoPreview(request), context),

      getSession: async ({ id }, context) => {
        const stored = await currentSession(id, context, dependencies);
        const ended = isEnding(stored.state)
          ? await untilEnded(stored, context, dependencies)
          : stored;
        const invoice = await invoiceOf(ended, context, dependencies);
        return {
          ...toPaymentAnswer(ended, invoice, dependencies),
          isPaying: isPaying(ended.state),
        };
      },

      paySession: async (request, context) => {
        const paid = await paySession(request, context, dependencies);
        return toStoredAnswer(paid, context, dependencies);
      },

      changeSessionBuyer: async ({ id, ...typed }, context) => {
        const changed = await changeSessionBuyer(id, typed, context, dependencies);
        return toStoredAnswer(changed, context, dependencies);
      },

      ...codeCalls(dependencies),

      answerSessionChallenge: async (request, context) => {
        const answered = await answerSessionChallenge(request, context, dependencies);
        return toStoredAnswer(answered, context, dependencies);
      },

      checkSessionRedemption: async ({ sessionId, discountId, round }, context) => {
        if (!isId(sessionId)) return { state: protoRedemption.RELEASED, isLost: true };
        const store = sessions.within(context);
        const { state } =
          (await store.find(sessionId)) ?? (await store.insert(sessionTombstone(sessionId))).stored;
        const { isTombstone: isLost } = state;
        if (round === undefined) {
          return { state: protoRedemption[redemptionOf(state, discountId)], isLost };
        }
        const code = { discountId, round };
        const redemption = await checkCode(state, code, context, dependencies);
        return { state: protoRedemption[redemption], isLost };
      },

      listSessions: async (request, context) => {
        const filters = fromProtoSessionFilter(request);
        const { data, total } = await listSessions(
          sessions.within(context),
          filters,
          readPage(request),
        );
        return {
          sessions: data.flatMap((stored) => toListedSession(stored, dependencies) ?? []),
          total,
        };
      },
    },
    { callers: sessionCallers },
  );
}

/** The calls of the payer's discount codes. */
function codeCalls(
  dependencies: SessionRpcDependencies,
): Pick<AsyncHandlers<SessionServiceServer>, 'applyDiscountCode' | 'removeDiscountCode'> {
  return {
    applyDiscountCode: async (request, context) => {
      const applied = await applyDiscountCode(request, context, dependencies);
      return toStoredAnswer(applied, context, dependencies);
    },

    removeDiscountCode: async ({ id }, context) => {
      const removed = await removeDiscountCode(id, context, dependencies);
      return toStoredAnswer(removed, context, dependencies);
    },
  };
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
  const { discountId, phase, total, endReason } = state;
  return {
    session: toProtoSession({ ...stored, state }, pages),
    redemptionState:
      discountId === undefined
        ? ProtoRedemptionState.REDEMPTION_STATE_UNSPECIFIED
        : protoRedemption[redemptionOfSession(state, discountId)],
    isChanging: phase === 'CREATING' || phase === 'PAYING' || isEnding(state),
    total,
    endReason: sessionEndReasons.valueOf(endReason),
  };
}

// Of the session itself, or of a typed code.
function redemptionOfSession(state: Session, discountId: string) {
  const round = state.codes?.held?.round;
  if (round === undefined) return redemptionOf(state, discountId);
  return codeRedemptionOf(state, { discountId, round }) ?? 'HELD';
}

/** No filter lists tombstones, too. */
function fromProtoSessionFilter({
  offeredOnly = false,
  status,
  productId,
  checkoutLinkId,
}: ListSessionsRequest): readonly SessionListFilter[] {
  const asked = { status: fromProtoStatus(status), productId, checkoutLinkId };
  const isFiltered = Object.values(asked).some((value) => value !== undefined);
  return offeredOnly || isFiltered ? offeredSessions(asked) : [{}];
}

function fromProtoStatus(sent: ProtoSessionStatus | undefined): SessionStatus | undefined {
  if (sent === undefined) return undefined;
  const status = sessionStatuses.knownName(sent);
  if (status === undefined) throw invalidInput({ status: ['Invalid status'] });
  return status;
}

/** Answer of a call that has stored something: without an invoice that cannot be read. */
async function toStoredAnswer(
  stored: StoredSession,
  context: CallContext,
  dependencies: SessionRpcDependencies,
) {
  const { logger } = dependencies;
  const facts = { logger, sessionId: stored.state.id };
  const reading = invoiceOf(stored, context, dependencies);
  const invoice = await elseAsWritten(undefined, reading, facts);
  return toPaymentAnswer(stored, invoice, dependencies);
}

async function invoiceOf(
  { state }: StoredSession,
  context: CallContext,
  { invoices }: SessionRpcDependencies,
): Promise<Stored<InvoiceRecord> | undefined> {
  return state.isTombstone ? undefined : invoices.within(context).find(state.invoiceId);
}

function toPaymentAnswer(
  stored: StoredSession,
  invoice: Stored<InvoiceRecord> | undefined,
  dependencies: SessionRpcDependencies,
) {
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
    locale: state.locale,
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
    items: itemsOf(state).map(toProtoItem),
    allowDiscountCodes: state.allowsCodes,
    takesCode: takesCode(state) || undefined,
    codeTyped: state.codes?.held !== undefined || undefined,
  };
}

function toProtoItem(item: OfferedItem): SessionItem {
  const { productId, priceId, quantity, productName: name, productDescription: description } = item;
  const product = { name, description, price: priceSnapshot.read(item.price) };
  return { productId, priceId, quantity, product };
}

function fromProtoPreview({
  items,
  quantity = 1,
  ...request
}: PreviewSessionRequest): PreviewedSession {
  const { customerId, priceId, productId, discountId } = request;
  return { customerId, discountId, priceId, productId, quantity, items: items?.items };
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
    items: request.items?.items,
    allowsCodes: request.allowDiscountCodes,
    checkoutLinkId: request.checkoutLinkId,
    successUrl: request.successUrl,
    cancelUrl: request.cancelUrl,
    locale: request.locale,
    discountId: request.discountId,
    isForVisitor: request.forVisitor ?? false,
    earlierSessionId: pages.sessionOfVisit(request.earlierVisit ?? ''),
    metadata: request.metadata ?? {},
    previewToken: request.previewToken,
  };
}
