import { type DueDocument, DueDocuments, type DueQuery } from './due-documents';

/** One pass over the documents of a collection whose time has come. */
export interface DuePass extends DueQuery {
  readonly handle: (document: DueDocument) => Promise<void>;
  readonly onFailure: (document: DueDocument, error: unknown) => void;
  /** Ends the pass early. */
  readonly signal: AbortSignal;
}

/** What a pass came to. */
export interface PassOutcome {
  readonly handled: number;
  readonly failures: readonly unknown[];
}

// Their reads and writes share commands to the database: the more side by side, the fewer of them.
const concurrencyMax = 300;

/**
 * Visits each document that is due once, the earliest first, whatever comes of it: those that fail, and those that stay due, never keep
 * later ones from their turn.
 */
export async function runDuePass(pass: DuePass): Promise<PassOutcome> {
  const documents = new DueDocuments(pass);
  const failures: unknown[] = [];
  let handled = 0;
  const worker = async () => {
    while (!pass.signal.aborted) {
      const document = await documents.next();
      if (document === undefined) return;
      try {
        await pass.handle(document);
        handled += 1;
      } catch (error) {
        failures.push(error);
        pass.onFailure(document, error);
      }
    }
  };
  // Where no more can be read, what has begun still comes to its end.
  const outcomes = await Promise.allSettled(Array.from({ length: concurrencyMax }, worker));
  const broken = outcomes.find((outcome) => outcome.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return { handled, failures };
}
