import type { DueDocument } from './due-documents';

/** Documents of a pass, in its order. */
export interface DueSource {
  /** Undefined at the end. */
  readonly next: () => Promise<DueDocument | undefined>;
  /** Called once a document was handled, or its handler failed. */
  readonly onHandled?: (document: DueDocument) => void;
}

/** One pass over due documents. */
export interface DuePass {
  readonly documents: DueSource;
  readonly handle: (document: DueDocument) => Promise<void>;
  readonly onFailure: (document: DueDocument, error: unknown) => void;
  readonly signal: AbortSignal;
}

export interface PassOutcome {
  readonly handled: number;
  readonly failures: readonly unknown[];
}

// Concurrent handlers share database commands: the more run, the fewer commands.
const concurrencyMax = 300;

/**
 * Visits each document of the source. Documents that fail or stay due never block later
 * ones.
 */
export async function runDuePass(pass: DuePass): Promise<PassOutcome> {
  const { documents } = pass;
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
      documents.onHandled?.(document);
    }
  };
  // If a read fails, handlers that have started still finish.
  const outcomes = await Promise.allSettled(Array.from({ length: concurrencyMax }, worker));
  const broken = outcomes.find((outcome) => outcome.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return { handled, failures };
}
