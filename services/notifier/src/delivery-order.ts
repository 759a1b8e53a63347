import type { DeliveryStatus } from './delivery';

/** What decides the order in which a subscription's deliveries go to an endpoint. */
export interface OrderedDelivery {
  readonly _id: string;
  readonly sequence: number;
  readonly status: DeliveryStatus;
  readonly previousId: string | null;
  readonly claim: string | null;
}

/** A delivery and the one that goes before it from now on; null: none. */
export interface Link {
  readonly _id: string;
  readonly previousId: string | null;
}

/**
 * Where each of a subscription's deliveries stands once some of them are sent again: the lowest sequence first, each after the one below it.
 * The delivery that it waited for when it was made may long have arrived, and one further down be on its way again. Links only ever lead
 * down, so that no two wait for each other. One that is being sent is left as it is.
 */
export function linksInOrder<D extends OrderedDelivery>(
  deliveries: readonly D[],
  isSentAgain: (delivery: D) => boolean,
): Link[] {
  const links: Link[] = [];
  let previousId: string | null = null;
  for (const delivery of deliveries.toSorted((a, b) => a.sequence - b.sequence)) {
    const isWaiting = delivery.status === 'PENDING';
    if (!isWaiting && !isSentAgain(delivery)) continue;
    if (!isWaiting || delivery.claim === null) links.push({ _id: delivery._id, previousId });
    previousId = delivery._id;
  }
  return links;
}
