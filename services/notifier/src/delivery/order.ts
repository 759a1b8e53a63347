import type { DeliveryStatus } from './delivery';

/** The facts that decide the order of a subscription's deliveries to an endpoint. */
export interface OrderedDelivery {
  readonly _id: string;
  readonly sequence: number;
  readonly status: DeliveryStatus;
  readonly previousId: string | null;
  readonly claim: string | null;
}

/** A delivery and its new predecessor; null: none. */
export interface Link {
  readonly _id: string;
  readonly previousId: string | null;
}

/**
 * Computes the predecessors of a subscription's deliveries after some of them are resent: each
 * waits for the pending one with the next lower sequence. The original predecessor may have arrived
 * long ago, while one with a lower sequence is pending again. Links lead only to lower sequences,
 * so no two deliveries wait for each other. A delivery in flight is left unchanged.
 */
export function linksInOrder<D extends OrderedDelivery>(
  deliveries: readonly D[],
  isResent: (delivery: D) => boolean,
): Link[] {
  const links: Link[] = [];
  let previousId: string | null = null;
  for (const delivery of deliveries.toSorted((a, b) => a.sequence - b.sequence)) {
    const isWaiting = delivery.status === 'PENDING';
    if (!isWaiting && !isResent(delivery)) continue;
    if (!isWaiting || delivery.claim === null) links.push({ _id: delivery._id, previousId });
    previousId = delivery._id;
  }
  return links;
}
