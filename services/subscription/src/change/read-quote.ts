import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import type { CreateInvoiceRequest } from '@billing/proto/billing/checkout/v1/checkout';
import type {
  PreviewCreditNote,
  PreviewInvoice,
} from '@billing/proto/billing/subscription/v1/change_service';
import { changeSettlements } from '@billing/proto/values/subscription';
import { toProtoChangeInvoice } from '../peer/checkout';
import type { Peers } from '../peer/peers';
import type { Subscription } from '../subscription/subscription';
import type { ChangeCreditNote, ChangeInvoice } from '../subscription/subscription-change';

/** Reads what an invoice would cost, with its taxes and what the balance would pay. */
export async function readQuote(
  request: CreateInvoiceRequest,
  context: CallContext,
  { checkout }: Pick<Peers, 'checkout'>,
): Promise<PreviewInvoice> {
  const quote = await checkout.quoteInvoice({ invoice: request }, context);
  const { billingReason, currency, periodStart, periodEnd } = request;
  return {
    ...quote,
    ...{ billingReason, currency, periodStart, periodEnd },
    amountDue: quote.total - quote.balanceApplied,
    // Their ids follow from that of the invoice, which a preview does not have.
    lineItems: quote.lineItems.map((line) => ({ ...line, id: '', invoiceId: '' })),
  };
}

/**
 * Reads what the invoice of a change would cost. Refuses one below 0: the unused time gives its tax
 * back, and the remaining time may have less, for example under reverse charge.
 */
export async function readChangeQuote(
  {
    subscription,
    planned,
  }: { readonly subscription: Subscription; readonly planned: ChangeInvoice },
  context: CallContext,
  peers: Pick<Peers, 'checkout'>,
): Promise<PreviewInvoice> {
  const request = toProtoChangeInvoice(subscription, planned);
  try {
    return await readQuote(request, context, peers);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_input') throw givesTaxBack();
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
