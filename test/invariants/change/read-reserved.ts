import { ownCall, type Tenant } from '@billing/chassis/call-context';
import { connectPeer } from '@billing/chassis/peer';
import {
  type CheckoutServiceServer,
  CheckoutServiceService,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { ChangePicture, InvoicePicture, ReservedPicture } from '../picture/picture';

// Bounds the calls: the newest invoices are those that changes reserve on.
const invoicesMax = 200;

/** Reads what changes have reserved on the newest invoices of changed subscriptions. */
export async function readReserved(
  address: string,
  tenant: Tenant,
  { invoices, changes }: { invoices: readonly InvoicePicture[]; changes: readonly ChangePicture[] },
): Promise<ReservedPicture[]> {
  const changed = new Set(changes.map(({ subscriptionId }) => subscriptionId));
  const asked = invoices
    .filter(({ subscriptionId }) => subscriptionId !== null && changed.has(subscriptionId))
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id))
    .slice(0, invoicesMax);
  const checkout = connectPeer<CheckoutServiceServer>(CheckoutServiceService, {
    address,
    service: 'invariants',
  });
  const reserved: ReservedPicture[] = [];
  try {
    for (const { id } of asked) {
      const found = await checkout.getInvoice({ id }, { ...ownCall(), tenant });
      const left = found.left.reduce((sum, { amount }) => sum + Number(amount), 0);
      reserved.push({ invoiceId: id, isReserved: found.reservedByOtherChange, left });
    }
    return reserved;
  } finally {
    checkout.close();
  }
}
