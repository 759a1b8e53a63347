import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, newResourceId, waitAtMost } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { derivedId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { checkMetadata, expectedVersionOf, maskedFields } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { type Currency, parseCurrency } from '@billing/kernel/currency';
import { invalidInput } from '@billing/kernel/domain-error';
import { oneOffProblems } from '@billing/kernel/input/one-off-invoice';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type CheckoutServiceServer,
  type CreateOneOffInvoiceRequest,
  type OneOffLine as ProtoOneOffLine,
  type UpdateDraftInvoiceRequest,
} from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionMethod, type Customer } from '@billing/proto/billing/customer/v1/customer';
import type { BalanceStore } from '../balance/balance-store';
import type { HostedPageStore } from '../hosted-page/store';
import type { NewInvoice } from '../draft/draft';
import type { InvoiceRecord } from '../invoice/invoice';
import { fromProtoCollectionMethod, required, toProtoInvoice } from '../invoice/rpc';
import { billedCurrency } from '../invoice/billed-currency-store';
import { fetchCustomer } from '../peer/customer';
import type { PaymentMethodStore } from '../payment-method/store';
import type { Peers } from '../peer/peers';
import { deleteDraft } from './draft-store';
import {
  changeDraft,
  createOneOff,
  type DraftChanges,
  type DraftTerms,
  finalize,
  isFinalizedBy,
  lineItemsOf,
  roundOf,
} from './one-off-invoice';
import { type BillingSettings, offSettings } from '../seller/billing-settings';
import type { BillingSettingsStore } from '../seller/billing-settings-store';
import { buyerFactsOf } from '../tax/finalization-message';
import type { noRateAlarm } from '../tax/no-rate-alarm';

export interface OneOffDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly balances: Pick<BalanceStore, 'amountOf' | 'isPosted' | 'takenBy'>;
  readonly pages: HostedPageStore;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly settings: Pick<BillingSettingsStore, 'readForInvoice'>;
  readonly methods: Pick<PaymentMethodStore, 'cardCountryOf'>;
  /** Called for an invoice that was finalized. */
  readonly onTaxed: ReturnType<typeof noRateAlarm>;
}

// As long as a caller waits for the first attempt.
const waitMsMax = 8_000;

/** RPCs of one-off invoices and their drafts. */
export function oneOffHandlers(
  dependencies: OneOffDependencies,
): Pick<
  AsyncHandlers<CheckoutServiceServer>,
  'createOneOffInvoice' | 'updateDraftInvoice' | 'deleteDraftInvoice' | 'finalizeInvoice'
> {
  const { invoices, pages } = dependencies;
  const toProto = (stored: Stored<InvoiceRecord>) => ({ invoice: toProtoInvoice(stored, pages) });
  return {
    createOneOffInvoice: async (request, context) => {
      checkRequest(request);
      const customer = await fetchCustomer(dependencies.peers, request.customerId, context);
      const id = newResourceId(context, 'invoice');
      const currency = await currencyOf(request, customer, context, dependencies);
      const written = await dependencies.settings.readForInvoice(context);
      const holder = { customerId: customer.id, subscriptionId: undefined };
      const cardCountry = await cardCountryFor(holder, written.settings, context, dependencies);
      const facts = { customer, currency, written, cardCountry, context };
      const created = createOneOff(fromProtoOneOff(id, request, facts));
      const balanceRound = request.finalize
        ? roundOf(created.state, await hasBalance(created.state, context, dependencies))
        : undefined;
      const state = { ...created.state, balanceRound };
      const { stored } = await invoices.within(context).insert({ ...created, state });
      if (request.finalize) dependencies.onTaxed(state, context.tenant);
      return toProto(
        request.finalize ? await untilAttempted(stored, context, dependencies) : stored,
      );
    },

    updateDraftInvoice: async (request, context) => {
      const changes = fromProtoChanges(request, context);
      const { state } = await invoices.within(context).get(request.id);
      const terms = await termsFor(state, context, dependencies);
      const stored = await invoices
        .within(context)
        .mutate(
          request.id,
          (record, now) => changeDraft(record, changes, { terms, now }),
          expectedVersionOf(request),
        );
      return toProto(stored);
    },

    deleteDraftInvoice: async (request, context) => {
      await deleteDraft(invoices, { id: request.id, ...expectedVersionOf(request) }, context);
      return {};
    },

    finalizeInvoice: async (request, context) => {
      const { resourceSeed: callId } = context;
      const { state } = await invoices.within(context).get(request.id);
      const isBalanceThere = !state.isTombstone && (await hasBalance(state, context, dependencies));
      const terms = await termsFor(state, context, dependencies);
      const stored = await invoices.within(context).mutate(
        request.id,
        (record, now) => finalize(record, { hasBalance: isBalanceThere, terms, now, callId }),
        // A retried call names the version before its own write.
        isFinalizedBy(state, callId) ? {} : expectedVersionOf(request),
      );
      if (!stored.state.isTombstone) dependencies.onTaxed(stored.state, context.tenant);
      return toProto(await untilAttempted(stored, context, dependencies));
    },
  };
}

// The command opens the invoice, in this or another replica, and charges it.
async function untilAttempted(
  stored: Stored<InvoiceRecord>,
  context: CallContext,
  { invoices, clock, logger }: OneOffDependencies,
): Promise<Stored<InvoiceRecord>> {
  const isReached = ({ state }: Stored<InvoiceRecord>) =>
    state.isTombstone || (state.status !== 'DRAFT' && state.attempt?.status !== 'PENDING');
  const until = waitAtMost(waitMsMax, context, clock.now());
  const { id: invoiceId } = stored.state;
  const waited = invoices.waitFor(invoiceId, context, { isReached, until });
  return elseAsWritten(stored, waited, { logger, invoiceId });
}

async function hasBalance(
  invoice: Parameters<BalanceStore['amountOf']>[0],
  context: CallContext,
  { balances }: Pick<OneOffDependencies, 'balances'>,
): Promise<boolean> {
  return (await balances.amountOf(invoice, context)) > 0n;
}

// Read before the write, which decides by one version of the seller. A draft keeps its customer.
async function termsFor(
  { customerId, status }: Pick<InvoiceRecord, 'customerId' | 'status'>,
  context: CallContext,
  { settings, peers, methods }: Pick<OneOffDependencies, 'settings' | 'peers' | 'methods'>,
): Promise<DraftTerms> {
  // The write refuses any other status.
  if (status !== 'DRAFT') {
    return { settings: offSettings(context.tenant.environmentId), buyer: undefined };
  }
  const [read, customer] = await Promise.all([
    settings.readForInvoice(context),
    peers.customers.find(customerId, context),
  ]);
  const holder = { customerId, subscriptionId: undefined };
  return {
    ...read,
    buyer: customer === undefined ? undefined : buyerFactsOf(customer),
    cardCountry: await cardCountryFor(holder, read.settings, context, { methods }),
  };
}

/** Country of the card to which an invoice would be charged; undefined while tax is off. */
export async function cardCountryFor(
  holder: Parameters<PaymentMethodStore['cardCountryOf']>[0],
  { seller }: Pick<BillingSettings, 'seller'>,
  context: CallContext,
  { methods }: Pick<OneOffDependencies, 'methods'>,
): Promise<string | undefined> {
  return seller.tax === null ? undefined : methods.cardCountryOf(holder, context);
}

// The first invoice fixes the currency of its customer.
async function currencyOf(
  request: CreateOneOffInvoiceRequest,
  customer: Customer,
  context: CallContext,
  { invoices, peers }: OneOffDependencies,
): Promise<Currency> {
  const currency = parseCurrency(request.currency ?? customer.currency);
  const isFixed = customer.currencyFixed === true;
  const billed = isFixed
    ? customer.currency
    : await billedCurrency(customer.id, invoices.within(context));
  const { id } = customer;
  const fixed = billed ?? (await fixCurrency({ id, currency }, context, peers));
  if (fixed !== undefined && fixed !== currency) {
    const problem = `Currency ${currency} differs from the customer's, ${fixed}`;
    throw invalidInput({ currency: [problem] });
  }
  return currency;
}

// The customer's currency is stored before the invoice: a call that is too late is refused here,
// and one that is too late afterwards stores no invoice.
async function fixCurrency(
  wanted: { readonly id: string; readonly currency: Currency },
  context: CallContext,
  { customer }: Pick<Peers, 'customer'>,
): Promise<string | undefined> {
  context.storing?.pass();
  const fixed = await customer.fixCurrency(wanted, context);
  context.storing?.close();
  return fixed.customer?.currency;
}

function checkRequest(request: CreateOneOffInvoiceRequest): void {
  const { lines, metadata } = request;
  refuseProblems({
    ...oneOffProblems({ ...request, lines: lines.map(readLine) }),
    metadata: [
      ...checkMetadata(metadata),
      ...lines.flatMap((line) => checkMetadata(line.metadata)),
    ],
  });
}

function fromProtoOneOff(
  id: string,
  { collectionMethod, lines, netDays, memo, purchaseOrder, ...request }: CreateOneOffInvoiceRequest,
  {
    customer,
    currency,
    written,
    cardCountry,
    context,
  }: {
    readonly customer: Customer;
    readonly currency: Currency;
    readonly written: Pick<DraftTerms, 'settings' | 'defaultLocale'>;
    readonly cardCountry: string | undefined;
    readonly context: CallContext;
  },
) {
  const { metadata = {}, finalize: isFinal } = request;
  return {
    ...{ id, currency, customerId: customer.id },
    collectionMethod: required(
      fromProtoCollectionMethod(
        collectionMethod === CollectionMethod.COLLECTION_METHOD_UNSPECIFIED
          ? customer.collectionMethod
          : collectionMethod,
      ),
      'collectionMethod',
    ),
    lineItems: toLineItems(id, lines, context),
    terms: { ...written, buyer: buyerFactsOf(customer), cardCountry, at: context.now, isFinal },
    oneOff: {
      ...{ netDays, memo, purchaseOrder, metadata },
      finalizedAt: isFinal ? context.now : undefined,
    },
  };
}

function fromProtoChanges(
  { id, updateMask, ...request }: UpdateDraftInvoiceRequest,
  context: CallContext,
): DraftChanges {
  const { collectionMethod, lines, netDays, memo, purchaseOrder, metadata = {} } = request;
  const changes = maskedFields(
    { collectionMethod, lines, netDays, memo, purchaseOrder, metadata },
    updateMask,
  );
  const { lines: sent, collectionMethod: method, ...terms } = changes;
  refuseProblems({
    ...oneOffProblems({ ...terms, lines: sent?.map(readLine) }),
    metadata: [
      ...checkMetadata(terms.metadata),
      ...(sent ?? []).flatMap((line) => checkMetadata(line.metadata)),
    ],
  });
  return {
    ...terms,
    ...(sent !== undefined && { lineItems: toLineItems(id, sent, context) }),
    ...(method !== undefined && {
      collectionMethod: required(fromProtoCollectionMethod(method), 'collectionMethod'),
    }),
  };
}

function toLineItems(
  invoiceId: string,
  lines: readonly ProtoOneOffLine[],
  { tenant }: CallContext,
): NewInvoice['lineItems'] {
  return lineItemsOf(lines.map(readLine), (index) =>
    derivedId(tenant.environmentId, 'lineItem', invoiceId, index),
  );
}

function readLine({ quantity, metadata = {}, ...line }: ProtoOneOffLine) {
  return { ...line, quantity: quantity === '' ? '1' : quantity, metadata };
}
