import { only, unchanged } from '@billing/kernel/transition';
import { customerSnapshot } from '../peer/customer';
import type { Session, SessionRecord, SessionTransition } from '../sales/session';

/** The session without personal data of its deleted customer. */
export function eraseSession(record: SessionRecord): SessionTransition {
  if (record.isTombstone) return unchanged(record);
  const customer = erasedCustomer(record);
  const isErased =
    record.snapshots.customer === customer && Object.keys(record.metadata).length === 0;
  if (isErased) return unchanged(record);
  return only({ ...record, metadata: {}, snapshots: { ...record.snapshots, customer } });
}

/** True while the session may still be paid, or has effects that are not carried out. */
export function isUnfinished(record: SessionRecord): boolean {
  return !record.isTombstone && !record.isDelivered;
}

function erasedCustomer({ snapshots }: Session): string {
  const customer = customerSnapshot.read(snapshots.customer);
  return customerSnapshot.write({
    ...customer,
    email: '',
    externalId: undefined,
    name: undefined,
    phone: undefined,
    address: undefined,
    taxIds: [],
    buyerReference: undefined,
    metadata: undefined,
  });
}
