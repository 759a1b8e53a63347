import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { creationRound } from '../billing/describe-period-invoice';
import type { Peers } from '../peer/peers';
import { currencyOf, type Subscription } from '../subscription/subscription';

/** Reserves what the balance pays of a creation's first invoice: exactly what was shown. */
export async function reserveBalance(
  subscription: Subscription,
  { invoiceId, balance }: { readonly invoiceId: string; readonly balance: bigint },
  context: CallContext,
  { checkout }: Pick<Peers, 'checkout'>,
): Promise<void> {
  const { id, customer } = subscription;
  await checkout.reserveForChange(
    {
      ...{ changeId: id, round: creationRound, subscriptionId: id, balance, credits: [] },
      ...{ customerId: customer.id, currency: currencyOf(subscription) },
      changeInvoiceId: invoiceId,
    },
    context,
  );
}

/** Reservations of a creation that was not stored. */
interface Unused {
  readonly subscriptionId: string;
  /** Null: none was asked for. */
  readonly discountId: string | null;
}

/**
 * Frees what a creation has reserved that never will be stored. What cannot be freed now is left to
 * its owners, who ask later.
 */
export async function releaseUnused(
  { subscriptionId: id, discountId }: Unused,
  context: CallContext,
  { peers, logger }: { readonly peers: Peers; readonly logger: Pick<Logger, 'warn'> },
): Promise<void> {
  const released = await Promise.allSettled<unknown>([
    peers.checkout.releaseForChange(roundOf(id), context),
    discountId === null
      ? null
      : peers.discount.releaseRedemption({ discountId, holderId: id }, context),
  ]);
  for (const one of released) {
    if (one.status === 'fulfilled') continue;
    logger.warn({ err: one.reason as unknown, id }, 'reservation of a creation is left');
  }
}

/**
 * Returns the balance that a creation has reserved for an invoice that is void, or was never
 * created and never will be.
 */
export async function returnReserved(
  { invoiceId, voided }: { readonly invoiceId: string; readonly voided: Invoice | undefined },
  { id, reservedInvoiceId }: Pick<Subscription, 'id' | 'reservedInvoiceId'>,
  context: CallContext,
  { checkout }: Pick<Peers, 'checkout'>,
): Promise<void> {
  if (reservedInvoiceId !== invoiceId) return;
  const isUsed = voided !== undefined && voided.status !== InvoiceStatus.INVOICE_STATUS_VOID;
  if (!isUsed) await checkout.releaseForChange(roundOf(id), context);
}

function roundOf(changeId: string) {
  return { changeId, round: creationRound, keepBalance: false };
}
