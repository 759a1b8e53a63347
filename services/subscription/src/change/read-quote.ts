import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import type { CreateInvoiceRequest, LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import type {
  PreviewCreditNote,
  PreviewInvoice,
} from '@billing/proto/billing/subscription/v1/change_service';
import { changeSettlements } from '@billing/proto/values/subscription';
import { changeInvoice } from '../lifecycle/change-lines';
import { type ChangeRequest, itemsAtRenewal } from '../lifecycle/check-change';
import type { EndCredits } from '../lifecycle/plan-end';
import { toProtoChangeInvoice } from '../peer/checkout';
import type { Peers } from '../peer/peers';
import { isSameItems, itemsAfter } from '../subscription/change-side';
import { putOffAfter, waitingPutOff } from '../subscription/put-off';
import { currentPeriod, type Subscription } from '../subscription/subscription';
import {
  type ChangeCreditNote,
  type ChangePlan,
  keepsPutOff,
} from '../subscription/subscription-change';
import { chargesOfItems, checkTotal } from './check-total';

/** Reads what an invoice would cost, with its taxes and what the balance would pay. */
export async function readQuote(
  request: CreateInvoiceRequest,
  context: CallContext,
  { quotes }: Pick<Peers, 'quotes'>,
): Promise<PreviewInvoice> {
  const quote = await quotes.quote(request, context);
  const { billingReason, currency, periodStart, periodEnd } = request;
  return {
    ...quote,
    ...{ billingReason, currency, periodStart, periodEnd },
    amountDue: quote.total - quote.balanceApplied,
    // Their ids follow from that of the invoice, which a preview does not have.
    lineItems: quote.lineItems.map((line) => ({ ...line, id: '', invoiceId: '' })),
  };
}

/** Cost of a change before it is stored. */
export interface PlanQuote {
  /** Undefined: nothing is charged at once. */
  readonly invoice: PreviewInvoice | undefined;
  /** Lines that the next invoice bills. */
  readonly linesPutOff: readonly LineItem[];
}

/**
 * Refuses a change whose own invoice, or that of the next period with other items and the lines put
 * off, would be over the limit: no later change could bring it below again.
 */
export function checkBills(
  subscription: Subscription,
  { invoice, ...planned }: PlannedBills,
  request: Pick<ChangeRequest, 'changeId' | 'kind' | 'at' | 'wanted' | 'proration'>,
): void {
  const { changes } = subscription;
  const putOff = putOffAfter(changes.putOff, { id: request.changeId, ...planned });
  const { lines } = waitingPutOff({ changes: { ...changes, putOff } });
  const isList = request.wanted.otherItems !== undefined;
  checkTotal(amountsOf(invoice?.lines ?? []), { isList });
  const { items } = subscription;
  if (isSameItems(items, itemsAfter(subscription, request.wanted))) return;
  const next = chargesOfItems(itemsAtRenewal(subscription, request));
  checkTotal([...next, ...amountsOf(lines)], { isList });
}

function amountsOf(lines: readonly { readonly amount: bigint }[]): bigint[] {
  return lines.map(({ amount }) => amount);
}

/** What a change bills at once, and what it puts off or takes along. */
export type PlannedBills = Pick<ChangePlan, 'invoice' | 'putOff' | 'takenChangeIds'>;

/** The bills of a change that waits. */
export const nothingBilled: PlannedBills = { invoice: null, ...keepsPutOff };

/**
 * Reads what the invoice of a change would cost, and the lines that it puts off: as if they were
 * invoiced now, with those that wait already. Refuses an invoice below 0: the unused time gives its
 * tax back, and the remaining time may have less, for example under reverse charge.
 */
export async function readPlanQuote(
  {
    subscription,
    planned,
    request,
  }: {
    readonly subscription: Subscription;
    readonly planned: PlannedBills;
    readonly request: ChangeRequest;
  },
  context: CallContext,
  peers: Pick<Peers, 'quotes'>,
): Promise<PlanQuote> {
  const { invoice, putOff } = planned;
  checkBills(subscription, planned, request);
  try {
    if (invoice !== null) {
      const quoted = toProtoChangeInvoice(subscription, invoice);
      return { invoice: await readQuote(quoted, context, peers), linesPutOff: [] };
    }
    if (putOff === null) return { invoice: undefined, linesPutOff: [] };
    const all = [...waitingPutOff(subscription).lines, ...putOff.lines];
    const { invoiceId, taxFacts } = request;
    const terms = { at: context.now, requirePayment: false, balanceRound: null };
    const { end } = currentPeriod(subscription);
    const { discount } = putOff;
    const periodIndex = subscription.periodIndex ?? 0;
    const whole = changeInvoice(subscription, all, {
      ...{ terms: { ...terms, invoiceId, taxFacts }, discount, periodIndex, end },
    });
    const { lineItems } = await readQuote(
      toProtoChangeInvoice(subscription, whole),
      context,
      peers,
    );
    return { invoice: undefined, linesPutOff: lineItems.slice(-putOff.lines.length) };
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_input') throw givesTaxBack();
    throw error;
  }
}

/**
 * Refuses an end whose bill would be below 0: its unused time gives the tax of the lines put off
 * back, and those take back time with more tax.
 */
export async function checkEndBill(
  subscription: Subscription,
  { unusedLines, invoiceId }: Pick<EndCredits, 'unusedLines'> & { readonly invoiceId: string },
  context: CallContext,
  { quotes, customers }: Pick<Peers, 'quotes' | 'customers'>,
): Promise<void> {
  if (unusedLines.length === 0) return;
  const { lines, discount } = waitingPutOff(subscription);
  const customer = await customers.find(subscription.customer.id, context);
  const { start, end } = currentPeriod(subscription);
  const terms = { at: start, invoiceId, requirePayment: false, balanceRound: null };
  // Lines put off have the tax categories of their products.
  const taxFacts = { buyer: customer?.buyer ?? null, taxCategory: null };
  const bill = changeInvoice(subscription, [...lines, ...unusedLines], {
    ...{ terms: { ...terms, taxFacts }, discount, end },
    periodIndex: subscription.periodIndex ?? 0,
  });
  try {
    await readQuote(toProtoChangeInvoice(subscription, bill), context, { quotes });
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_input') throw endGivesTaxBack();
    throw error;
  }
}

/** Maps a credit note that does not exist. */
export function toProtoPreviewNote({
  invoiceId,
  amount,
  settledBy,
}: ChangeCreditNote): PreviewCreditNote {
  return { invoiceId, amount, settledBy: changeSettlements.valueOf(settledBy) };
}

function givesTaxBack(): DomainError {
  return new DomainError(
    'failed_precondition',
    'CHANGE_GIVES_TAX_BACK',
    'The change gives more tax back than it charges; ask for it at the end of the period',
  );
}

function endGivesTaxBack(): DomainError {
  return new DomainError(
    'failed_precondition',
    'CANCELLATION_GIVES_TAX_BACK',
    'The end gives more tax back than it charges; cancel at the end of the period or without proration',
  );
}
