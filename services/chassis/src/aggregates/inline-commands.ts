import type { InlineCommands, Stored, AggregateDocument } from './aggregate';
import type { Removal } from './document-batches';

/** Inline commands of a document as it was inserted; undefined if it existed before. */
export function inlineCommandsOf<S>(
  stored: Stored<S>,
  document: AggregateDocument | undefined,
  {
    removeDone,
    onPending,
  }: {
    removeDone: (removal: Removal) => Promise<void>;
    onPending: (id: string, written: undefined) => void;
  },
): InlineCommands<S> {
  if (document === undefined) {
    return {
      stored,
      inserted: false,
      markDone: () => Promise.resolve(),
      leaveToRelay: () => undefined,
    };
  }
  const { _id: id, outbox: done, eventSequence, commandSequence } = document;
  return {
    stored,
    inserted: true,
    markDone: () => removeDone({ id, done, all: { eventSequence, commandSequence } }),
    leaveToRelay: () => {
      // The document may have changed since it was inserted.
      onPending(id, undefined);
    },
  };
}
