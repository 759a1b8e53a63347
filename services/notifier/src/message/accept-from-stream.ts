import type { OrderedEventConsumer } from './accept-in-order';
import { EarlierEventMissingError } from './accept-event';
import type { EventReconciliation } from './reconciliation-worker';
import { readEvent } from './events';

/**
 * Accepts an event from the stream. An event that must wait for earlier ones, which the logs do not
 * return at the moment, is left to reconciliation and acknowledged: unacknowledged events of one
 * subscription would soon fill the consumer's limit of messages in flight.
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
  // An event of a later release waits in the log, which reconciliation reads.
  if (event?.data === undefined) return;
  if (reconciliation.isExpecting(event) && reconciliation.expect(event)) return;
  try {
    await consumer.accept(event);
  } catch (error) {
    if (!(error instanceof EarlierEventMissingError)) throw error;
    if (!reconciliation.expect(event)) throw error;
  }
}
