import { messageId, type MessageKey } from '../message/message-store';

/** An accepted message as the feed orders it. */
export interface FeedMessage extends MessageKey {
  readonly _id: string;
  readonly type: string;
  /** Real time. */
  readonly acceptedAt: Date;
}

/** The message before a message of its subject; undefined for the first one. */
export function predecessorOf(message: FeedMessage): string | undefined {
  const { sequence } = message;
  return sequence > 1 ? messageId({ ...message, sequence: sequence - 1 }) : undefined;
}

/**
 * Orders messages for the next positions of the feed: by acceptance, each one of a subject after
 * the one before it. Omits messages that have a position, and those whose predecessor is neither in
 * the feed nor in the run; `isPassed` reports the predecessors that are in the feed or will never
 * be.
 */
export function planRun(
  candidates: readonly FeedMessage[],
  isPlaced: (messageId: string) => boolean,
  isPassed: (predecessorId: string) => boolean,
): FeedMessage[] {
  const waiting = new Map<string, FeedMessage>();
  const planned = new Set<string>();
  const run: FeedMessage[] = [];
  const inOrder = candidates.toSorted(byAcceptance);
  for (const candidate of inOrder) {
    if (isPlaced(candidate._id) || planned.has(candidate._id)) continue;
    const predecessor = predecessorOf(candidate);
    const isNext = predecessor === undefined || planned.has(predecessor) || isPassed(predecessor);
    if (!isNext) {
      waiting.set(predecessor, candidate);
      continue;
    }
    let next: FeedMessage | undefined = candidate;
    while (next !== undefined && !planned.has(next._id)) {
      run.push(next);
      planned.add(next._id);
      next = waiting.get(next._id);
    }
  }
  return run;
}

// Clocks of replicas differ, so that k + 1 may seem to be accepted before k.
function byAcceptance(a: FeedMessage, b: FeedMessage): number {
  return a.acceptedAt.getTime() - b.acceptedAt.getTime() || a.sequence - b.sequence;
}
