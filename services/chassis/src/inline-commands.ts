import type { Stored } from './aggregate';
import type { AggregateDocument } from './aggregate-document';
import type { DocumentBatches } from './document-batches';

/** A new aggregate whose maker carries out its commands. */
export interface InlineCommands<S> {
  readonly stored: Stored<S>;
  /** False: the id was taken before, and what waits there is the relay's. */
  readonly inserted: boolean;
  /** To be called when all commands are carried out. What was decided in the meantime stays for the relay. */
  readonly markDone: () => Promise<void>;
  /** Leaves the commands to the relay. */
  readonly leaveToRelay: () => void;
}

/** Of a document as it was inserted; undefined where another one stood there before. */
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
      // It may have changed since it was inserted.
      onPending(id, undefined);
    },
  };
}
