import type { Stored } from './aggregate';
import type { AggregateDocument } from './aggregate-document';
import type { DocumentBatches } from './document-batches';

/** A new aggregate whose caller runs its commands itself. */
export interface InlineCommands<S> {
  readonly stored: Stored<S>;
  /** False if the id was in use: then the existing aggregate's commands are left to the relay. */
  readonly inserted: boolean;
  /** Called when all commands are done. Commands decided in the meantime are left to the relay. */
  readonly markDone: () => Promise<void>;
  /** Leaves the commands to the relay. */
  readonly leaveToRelay: () => void;
}

/** Inline commands of a document as it was inserted; undefined if it existed before. */
export function inlineCommandsOf<S>(
  stored: Stored<S>,
  document: AggregateDocument | undefined,
  {
    batches,
    onPending,
  }: { batches: DocumentBatches; onPending: (id: string, written: undefined) => void },
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
    markDone: () => batches.removeDone({ id, done, all: { eventSequence, commandSequence } }),
    leaveToRelay: () => {
      // The document may have changed since it was inserted.
      onPending(id, undefined);
    },
  };
}
