import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { answerBy, type CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { expectedVersionOf } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { parseCurrency } from '@billing/kernel/currency';
import { isPartOfPeriod } from '@billing/kernel/discounting';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import {
  type BillingReason as ProtoBillingReason,
  type CheckoutServiceServer,
  CheckoutServiceService,
  type CreateInvoiceRequest,
  type CreateInvoiceResponse,
  type DiscountTerms,
  type LineItem as ProtoLineItem,
  type QuoteInvoiceRequest,
  type QuoteInvoiceResponse,
} from '@billing/proto/billing/checkout/v1/checkout';
import { billingReasons, lineKinds } from '@billing/proto/values/checkout';
import { discountTypes } from '@billing/proto/values/discount';
import { checkoutCallers } from './peer/callers';
import { isCollecting } from './invoice/collection';
import { changeCreditHandlers } from './credit-note/credit-note-rpc';
import type { CreditNoteWorker } from './credit-note/credit-note-worker';
import type { CollectionWorker } from './collection/collection-worker';
import { draft, draftOwed, type NewInvoice } from './draft/draft';
import { withSourceTerms } from './draft/find-source-terms';
import {
  type BillingReason,
  checkHolder,
  type Invoice,
  type InvoiceRecord,
  type LineItem,
  totalOf,
} from './invoice/invoice';
import {
  fromProtoCollectionMethod,
  invoiceHandlers,
  readAuthorization,
  readId,
  required,
  toProtoInvoice,
  toProtoQuote,
} from './invoice/rpc';
import type { DiscountOnInvoice } from './invoice/invoice-discount';
import type { PaymentMethodWorker } from './payment-method/payment-method-worker';
import { cardCountryFor, type OneOffDependencies, oneOffHandlers } from './one-off/one-off-rpc';
import { reservationHandlers } from './reservation/reservation-rpc';
import type { ReservationWorker } from './reservation/reservation-worker';
import { fromProtoBuyerFacts } from './tax/finalization-message';
import type { InvoiceTerms } from './tax/invoice-terms';
import type { BillingSettingsStore } from './seller/billing-settings-store';
import type { WaitingAuthorizationStore } from './collection/waiting-authorization-store';

// Limit of invoices created by one call, which must be done before its deadline.
const invoicesMax = 100;

export interface CheckoutRpcDependencies extends OneOffDependencies {
  readonly settings: Pick<BillingSettingsStore, 'read' | 'readForInvoice'>;
  readonly worker: CollectionWorker;
  readonly saver: PaymentMethodWorker;
  readonly reservations: ReservationWorker;
  readonly creditNotes: CreditNoteWorker;
  readonly authorizations: Pick<WaitingAuthorizationStore, 'add'>;
  readonly isLiveConfigured: boolean;
}

/** RPCs of the service. */
export function checkoutRpc(dependencies: CheckoutRpcDependencies) {
  const { invoices, worker, saver, pages } = dependencies;
  const toProto = (stored: Stored<InvoiceRecord>) => toProtoInvoice(stored, pages);
  const createInvoice = async (request: CreateInvoiceRequest, context: CallContext) => {
    const written = await dependencies.settings.readForInvoice(context);
    const created = draftOwed(await readNewInvoice(request, written, context, dependencies));
    const balanceRound = await roundOf(created.state, context, dependencies);
    const { stored, inserted } = await invoices
      .within(context)
      .insert({ ...created, state: { ...created.state, balanceRound } });
    checkHolder(stored.state, created.state);
    if (inserted) dependencies.onTaxed(created.state, context.tenant);
    const opened = await untilOpened(stored, context, invoices);
    return { invoice: toProto(opened), collecting: isCollecting(opened.state) };
  };
  return rpcService<CheckoutServiceServer>(
    CheckoutServiceService,
    {
      createInvoice,
      createInvoices: async ({ requests }, context) => ({
        responses: await answerEach(requests, noInvoice, (one) => createInvoice(one, context)),
      }),
      quoteInvoice: (request, context) => quote(request, context, dependencies),
      quoteInvoices: async ({ requests }, context) => ({
        responses: await answerEach(requests, noQuote, (one) => quote(one, context, dependencies)),
      }),
      ...invoiceHandlers({ invoices, pages }),
      ...reservationHandlers(dependencies.reservations),
      ...oneOffHandlers(dependencies),
      ...changeCreditHandlers(dependencies.creditNotes),
      voidDerivedInvoice: async (request, context) => {
        const holder = {
          id: readId(request.invoiceId, 'invoiceId'),
          subscriptionId: readId(request.subscriptionId, 'subscriptionId'),
          sessionId: undefined,
          customerId: readId(request.customerId, 'customerId'),
          currency: parseCurrency(request.currency),
        };
        const stored = await worker.voidDerived(holder, context);
        return { invoice: stored.state.isTombstone ? undefined : toProto(stored) };
      },
      voidInvoice: async (request, context) => {
        const call = { ...expectedVersionOf(request), callId: context.resourceSeed };
        return { invoice: toProto(await worker.voidForCaller(request.id, call, context)) };
      },
      markUncollectible: async (request, context) => {
        const call = { ...expectedVersionOf(request), callId: context.resourceSeed };
        const stored = await worker.markUncollectible(request.id, call, context);
        return { invoice: toProto(stored) };
      },
      endCollection: async ({ invoiceId, subscriptionId, writeOff }, context) => {
        const held = { invoiceId, subscriptionId: readId(subscriptionId, 'subscriptionId') };
        const stored = await worker.endCollection(held, { writeOff }, context);
        return { invoice: toProto(stored) };
      },
      resolveAuthorization: async (request, context) => {
        const authorization = {
          subscriptionId: readId(request.subscriptionId, 'subscriptionId'),
          customerId: readId(request.customerId, 'customerId'),
          authorizedTransactionId: readAuthorization(request.authorizedTransactionId),
        };
        const paymentMethodId = await saver.keepAuthorized(authorization, context);
        const isWaiting = context.tenant.live && !dependencies.isLiveConfigured;
        if (isWaiting) await dependencies.authorizations.add(authorization, context);
        return { paymentMethodId };
      },
    },
    { callers: checkoutCallers },
  );
}

function isRefusable({ billingReason }: NewInvoice): boolean {
  return billingReason === 'SUBSCRIPTION_CHANGE';
}

async function quote(
  { invoice }: QuoteInvoiceRequest,
  context: CallContext,
  dependencies: CheckoutRpcDependencies,
): Promise<QuoteInvoiceResponse> {
  const request = required(invoice, 'invoice');
  const owner = { customerId: request.customerId, currency: parseCurrency(request.currency) };
  // Read at once, so that the quotes of one call share both reads. A quote shows no locale.
  const [settings, balance] = await Promise.all([
    dependencies.settings.read(context),
    dependencies.balances.amountOf(owner, context),
  ]);
  const input = await readNewInvoice(request, { settings }, context, dependencies);
  // A change whose invoice would be below 0 is refused before it is stored.
  const { state } = isRefusable(input) ? draft(input) : draftOwed(input);
  return toProtoQuote(state, await balanceFor(state, context, dependencies, balance));
}

// The invoice of a request at the present terms of the seller.
async function readNewInvoice(
  request: CreateInvoiceRequest,
  written: Pick<InvoiceTerms, 'settings' | 'defaultLocale'>,
  context: CallContext,
  { invoices, methods }: Pick<CheckoutRpcDependencies, 'invoices' | 'methods'>,
): Promise<NewInvoice> {
  const input = fromProtoNewInvoice(request, context);
  const terms = {
    ...written,
    buyer: fromProtoBuyerFacts(request.buyer),
    cardCountry: await cardCountryFor(input, written.settings, context, { methods }),
    at: context.now,
    isFinal: true,
  };
  const home = terms.settings.seller.address?.country ?? undefined;
  const sources = { invoices, home };
  const lineItems = await withSourceTerms(input.lineItems, request, context, sources);
  return { ...input, lineItems, terms };
}

// Undefined for an invoice that takes nothing from its customer's balance. The draft stores the
// decision: an invoice without a balance is opened without a posting, and one with a balance takes
// the same amount however often its opening is retried. A payment that may already be captured is
// of the total, so its invoice leaves the balance to the next one.
async function roundOf(
  invoice: Invoice,
  context: CallContext,
  dependencies: Pick<CheckoutRpcDependencies, 'balances' | 'reservations'>,
): Promise<number | undefined> {
  const { balances, reservations } = dependencies;
  const { id, subscriptionId, billingReason, balanceRound, authorizedTransactionId } = invoice;
  const isFirst = billingReason === 'SUBSCRIPTION_CREATE' && authorizedTransactionId === undefined;
  if (isFirst && subscriptionId !== undefined) {
    // A reservation has posted its entry.
    if (!(await balances.isPosted(invoice, context))) return balanceRound;
    const first = { id, subscriptionId, total: totalOf(invoice) };
    const reserved = await reservations.roundOfFirst(first, context);
    if (reserved !== undefined) return reserved;
  }
  if (balanceRound !== undefined) return balanceRound;
  return (await balanceFor(invoice, context, dependencies)) > 0n ? 1 : undefined;
}

/**
 * Amount that the customer's balance would pay of an invoice now; what was taken for its round is
 * that amount.
 */
async function balanceFor(
  invoice: Invoice,
  context: CallContext,
  { balances }: Pick<CheckoutRpcDependencies, 'balances'>,
  known?: bigint,
): Promise<bigint> {
  if (invoice.authorizedTransactionId !== undefined) return 0n;
  const { balanceRound: round } = invoice;
  const taken = round === undefined ? 0n : await balances.takenBy(invoice, { round }, context);
  if (taken > 0n) return taken;
  const balance = known ?? (await balances.amountOf(invoice, context));
  const total = totalOf(invoice);
  return balance < total ? balance : total;
}

// Concurrent, so that their reads and writes share database round trips.
async function answerEach<Request, Response>(
  requests: readonly Request[],
  failed: Response,
  answer: (request: Request) => Promise<Response>,
): Promise<Response[]> {
  if (requests.length < 1 || requests.length > invoicesMax) {
    throw invalidInput({ requests: [`Must be 1 to ${String(invoicesMax)}`] });
  }
  const outcomes = await Promise.allSettled(requests.map(answer));
  return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : failed));
}

const noInvoice: CreateInvoiceResponse = { invoice: undefined, collecting: false };
const noQuote: QuoteInvoiceResponse = {
  ...{ lineItems: [], discounts: [], taxes: [], subtotal: 0n, discountAmount: 0n },
  ...{ tax: 0n, total: 0n, balanceApplied: 0n },
};

// The command of the draft opens the invoice, in this or another replica; after its deadline the
// caller retries.
async function untilOpened(
  stored: Stored<InvoiceRecord>,
  context: CallContext,
  invoices: AggregateCollection<InvoiceRecord>,
): Promise<Stored<InvoiceRecord>> {
  const isReached = ({ state }: Stored<InvoiceRecord>) => state.status !== 'DRAFT';
  if (isReached(stored)) return stored;
  const until = answerBy(context);
  const awaited = await invoices.waitFor(stored.state.id, context, { isReached, until });
  if (isReached(awaited)) return awaited;
  throw new DomainError('unavailable', 'INVOICE_NOT_OPENED', 'Service unavailable');
}

function fromProtoNewInvoice(request: CreateInvoiceRequest, context: CallContext): NewInvoice {
  const { authorizedTransactionId } = request;
  const invoiceId = readId(request.invoiceId, 'invoiceId');
  const billingReason = readBillingReason(request.billingReason);
  // Lines of a change that was put off have their own shares on any invoice.
  const hasOwnShare = ({ kind }: Pick<LineItem, 'kind'>) =>
    billingReason === 'SUBSCRIPTION_CHANGE' || isPartOfPeriod(kind);
  return {
    id: invoiceId,
    subscriptionId: readId(request.subscriptionId, 'subscriptionId'),
    customerId: readId(request.customerId, 'customerId'),
    billingReason,
    collectionMethod: required(
      fromProtoCollectionMethod(request.collectionMethod),
      'collectionMethod',
    ),
    currency: parseCurrency(request.currency),
    periodStart: required(request.periodStart, 'periodStart'),
    periodEnd: required(request.periodEnd, 'periodEnd'),
    lineItems: request.lineItems.map((sent, index) => {
      const line = fromProtoLineItem(sent);
      return {
        id: derivedId(context.tenant.environmentId, 'lineItem', invoiceId, index),
        ...line,
        ...(hasOwnShare(line) && { discountShare: sent.discountAmount }),
      };
    }),
    authorizedTransactionId:
      authorizedTransactionId === undefined
        ? undefined
        : readAuthorization(authorizedTransactionId),
    discount: request.discount === undefined ? undefined : fromProtoDiscount(request.discount),
    sharesDiscount:
      request.sharesDiscount === undefined ? undefined : fromProtoDiscount(request.sharesDiscount),
    balanceRound: readBalanceRound(request),
    ...(request.chargedOnce && { isChargedOnce: true }),
  };
}

function readBalanceRound({
  balanceRound,
  authorizedTransactionId,
}: CreateInvoiceRequest): number | undefined {
  if (balanceRound === undefined) return undefined;
  if (balanceRound < 1) throw invalidInput({ balanceRound: ['Must be at least 1'] });
  if (authorizedTransactionId === undefined) return balanceRound;
  throw invalidInput({ balanceRound: ['Not allowed with authorizedTransactionId'] });
}

// A session creates its own invoice, and a caller a one-off one.
function readBillingReason(sent: ProtoBillingReason): BillingReason {
  const reason = required(billingReasons.knownName(sent), 'billingReason');
  if (reason === 'CHECKOUT' || reason === 'MANUAL')
    throw invalidInput({ billingReason: ['Invalid billing reason'] });
  return reason;
}

function fromProtoDiscount({
  discountId,
  name,
  type,
  value,
  productIds,
}: DiscountTerms): DiscountOnInvoice {
  const read = required(discountTypes.knownName(type), 'discount');
  return { discountId: readId(discountId, 'discount'), name, type: read, value, productIds };
}

function fromProtoLineItem(line: ProtoLineItem): Omit<LineItem, 'id' | 'discountAmount' | 'tax'> {
  return {
    description: line.description,
    quantity: line.quantity,
    unitAmount: line.unitAmount,
    amount: line.amount,
    priceId: line.priceId,
    meterId: line.meterId,
    kind: line.kind === undefined ? undefined : lineKinds.knownName(line.kind),
    itemId: line.itemId,
    itemProductId: line.itemProductId,
    periodStart: required(line.periodStart, 'lineItems'),
    periodEnd: required(line.periodEnd, 'lineItems'),
    details: line.details,
    metadata: line.metadata ?? {},
    taxCategory: line.taxCategory,
  };
}
