import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { PreviewInvoice } from '@billing/proto/billing/subscription/v1/change_service';
import { endBill, withDiscountBegun } from '../billing/bill';
import {
  toProtoCycleEndInvoice,
  toProtoEndInvoice,
  usageLinesOf,
} from '../billing/describe-end-bill';
import { hasWaitingBills } from '../over-limit/over-limit-bill';
import { quoteUsage, type SettlementDependencies } from '../peer/metering';
import { fetchUsageFacts } from '../peer/usage-facts';
import type { BillingCommand } from '../subscription/command';
import { nothingPutOff, putOffOn } from '../subscription/put-off';
import type { Subscription } from '../subscription/subscription';
import type { SubscriptionTransition } from '../subscription/transition';
import type { CycleEndBill } from '../subscription/usage-billing';
import { settlementAtCycleEnd } from '../usage/settlement';
import type { UsageLine } from '../usage/usage-line';
import { isPaidOrCreditedInPart } from './find-period-facts';
import { readQuote } from './read-quote';

/** The invoice of an end; undefined: none follows. */
export interface EndInvoice {
  readonly usageInvoice: PreviewInvoice | undefined;
  /** True: usage may be added to it. */
  readonly usageInvoiceEstimated: boolean;
}

export const noEndInvoice: EndInvoice = { usageInvoice: undefined, usageInvoiceEstimated: false };

/**
 * Reads what the invoice of usage and lines put off after an end would cost now. A bill over the
 * limit makes no invoice.
 */
export async function readEndInvoice(
  { stored, end }: { readonly stored: Stored<Subscription>; readonly end: SubscriptionTransition },
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<EndInvoice> {
  const { state } = end;
  const { periodIndex } = state;
  if (periodIndex === null || hasWaitingBills(state)) return noEndInvoice;
  const ended = { ...stored, state };
  const settlement = { key: 'end', through: periodIndex };
  const quoted = await quoteUsage(ended, settlement, context, dependencies);
  const owed = await usageOwed(end.commands, context, dependencies);
  const isVoided = owed !== undefined;
  const putOff = putOffOn(state, isVoided ? [periodIndex, periodIndex + 1] : [periodIndex + 1]);
  const { lines, isBillable } = endBill(state, quoted ?? [], { owed: owed ?? [], putOff });
  if (!isBillable || lines.length + putOff.lines.length === 0) return noEndInvoice;
  const { peers } = dependencies;
  const found = await fetchUsageFacts(state, lines, context, peers);
  const content = { invoiceId: newId(), lines, putOff, isVoided, ...found };
  const { request } = toProtoEndInvoice(state, content);
  const invoice = await readQuote(request, context, peers);
  return { usageInvoice: invoice, usageInvoiceEstimated: quoted !== undefined };
}

/** The invoice of the end of a cycle, and the subscription once it is billed. */
export interface CycleEndPreview {
  readonly shown: EndInvoice;
  readonly billed: Subscription;
}

/** Reads what the invoice of usage would cost that a change orders, as `readEndInvoice` does. */
export async function readCycleEndInvoice(
  changed: Stored<Subscription>,
  bill: CycleEndBill,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<CycleEndPreview> {
  const { state } = changed;
  const settlement = settlementAtCycleEnd(bill.periodIndex);
  const quoted = await quoteUsage(changed, settlement, context, dependencies);
  const content = endBill(state, quoted ?? [], { owed: [], putOff: nothingPutOff });
  const { lines, isBillable, refunds } = content;
  if (!isBillable) return { shown: noEndInvoice, billed: state };
  const usage = { ...state.usage, refunds };
  if (lines.length === 0) return { shown: noEndInvoice, billed: { ...state, usage } };
  const { peers } = dependencies;
  const invoice = { lines, ...(await fetchUsageFacts(state, lines, context, peers)) };
  const { request, isDiscounted } = toProtoCycleEndInvoice(state, bill, invoice);
  const usageInvoice = await readQuote(request, context, peers);
  const begun = isDiscounted ? withDiscountBegun(state, bill) : state;
  return {
    shown: { usageInvoice, usageInvoiceEstimated: quoted !== undefined },
    billed: { ...begun, usage },
  };
}

/**
 * Reads the usage of earlier periods on the invoice that the end voids; undefined: the end voids
 * none. The usage of an invoice that is not created yet was never settled, and is quoted.
 */
async function usageOwed(
  commands: readonly BillingCommand[],
  context: CallContext,
  { peers }: SettlementDependencies,
): Promise<readonly UsageLine[] | undefined> {
  const close = commands.find((command) => command.type === 'close');
  if (close?.payload.isOwed !== true) return undefined;
  const asked = { id: close.payload.invoiceId };
  const found = await unlessNotFound(peers.checkout.getInvoice(asked, context));
  const invoice = found?.invoice;
  if (invoice === undefined) return [];
  const { status } = invoice;
  const isLeft =
    status === InvoiceStatus.INVOICE_STATUS_PAID ||
    status === InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE ||
    isPaidOrCreditedInPart(invoice);
  return isLeft ? undefined : usageLinesOf(invoice);
}
