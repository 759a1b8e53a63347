import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, waitAtMost } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { SessionRecord } from './session';
import { endEarlier, isEnding } from './session-ending';
import type { SessionInput } from './session-input';

interface SessionEndDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly clock: Clock;
}

// Limits the caller's wait for a peer that is down.
const endedWithinMs = 2000;

/**
 * Waits until the invoice of an ending session is void and its redemption free; returns the current
 * state after two seconds.
 */
export function untilEnded(
  { state: { id } }: Stored<SessionRecord>,
  context: CallContext,
  { sessions, clock }: SessionEndDependencies,
): Promise<Stored<SessionRecord>> {
  return sessions.waitFor(id, context, {
    isReached: ({ state }) => !isEnding(state),
    until: waitAtMost(endedWithinMs, context, clock.now()),
  });
}

/** Ends the visitor's earlier session of the same link, and waits for its redemption. */
export async function endEarlierSession(
  { earlierSessionId, checkoutLinkId }: SessionInput,
  context: CallContext,
  dependencies: SessionEndDependencies,
): Promise<void> {
  if (earlierSessionId === undefined) return;
  const sessions = dependencies.sessions.within(context);
  if ((await sessions.find(earlierSessionId)) === undefined) return;
  const stored = await sessions.mutate(earlierSessionId, (record) =>
    endEarlier(record, checkoutLinkId),
  );
  if (isEnding(stored.state)) await untilEnded(stored, context, dependencies);
}
