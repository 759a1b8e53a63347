import type { OrderedEventConsumer } from './ordered-event-consumer';
import { EarlierEventMissingError } from './event-consumer';
import type { EventReconciliation } from './event-reconciliation';
import { readEvent } from './events';

/**
 * Accepts an event as the stream brings it. One that must wait for earlier ones, which the logs do not give at the moment, is left to
 * reconciliation and so out of the stream's hand: those waiting for one subscription would soon be all that the stream lets anybody have.
 */
export async function acceptFromStream(
  envelope: string,
  {
    consumer,
    reconciliation,
  }: {
    consumer: Pick<OrderedEventConsumer, 'accept'>;
    reconciliation: Pick<EventReconciliation, 'isExpecting' | 'expect'>;
  },
): Promise<void> {
  const event = readEvent(envelope);
  if (event === undefined) return;
  if (reconciliation.isExpecting(event) && reconciliation.expect(event)) return;
  try {
    await consumer.accept(event);
  } catch (error) {
    if (!(error instanceof EarlierEventMissingError)) throw error;
    if (!reconciliation.expect(event)) throw error;
  }
}
