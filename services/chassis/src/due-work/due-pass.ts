import type { DueDocument } from './due-documents';
import { sleep } from '../clock';

/** Documents of a pass, in its order. */
export interface DueSource {
  /** Undefined at the end. */
  readonly next: () => Promise<DueDocument | undefined>;
  /** Called once a document was handled, or its handler failed. */
  readonly onHandled?: (document: DueDocument) => void;
}

/** Handles due documents. */
export interface DueHandling {
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
 * Runs passes over due documents, one after the other. A pass may end before its slowest handlers:
 * the next one skips their documents.
 */
export class DuePasses {
  private readonly inFlight = new Map<string, Promise<void>>();
  private onSlotFree = (): void => undefined;

  constructor(private readonly handling: DueHandling) {}

  /**
   * Visits each document of the source. Documents that fail or stay due never block later ones.
   * Returns what was done by the end of all handlers, or after they had some time since the last
   * document.
   */
  async run(documents: DueSource, handlersMs?: number): Promise<PassOutcome> {
    const outcome = { handled: 0, failures: [] as unknown[] };
    try {
      await this.startAll(documents, outcome);
    } finally {
      // If a read fails, handlers that have started still get their time.
      await (handlersMs === undefined ? this.ended() : this.endedWithin(handlersMs));
    }
    return outcome;
  }

  /** Resolves once every handler has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.inFlight.values());
  }

  private async startAll(
    documents: DueSource,
    outcome: { handled: number; failures: unknown[] },
  ): Promise<void> {
    const { handle, onFailure, signal } = this.handling;
    const handleOne = async (document: DueDocument) => {
      try {
        await handle(document);
        outcome.handled += 1;
      } catch (error) {
        outcome.failures.push(error);
        onFailure(document, error);
      }
      this.inFlight.delete(document._id);
      documents.onHandled?.(document);
      this.onSlotFree();
    };
    for (;;) {
      while (this.inFlight.size >= concurrencyMax) await this.slotFree();
      const document = signal.aborted ? undefined : await documents.next();
      if (document === undefined) return;
      if (this.inFlight.has(document._id)) documents.onHandled?.(document);
      else this.inFlight.set(document._id, handleOne(document));
    }
  }

  private slotFree(): Promise<void> {
    return new Promise((resolve) => (this.onSlotFree = resolve));
  }

  private async endedWithin(ms: number): Promise<void> {
    const ended = new AbortController();
    void this.ended().then(() => {
      ended.abort();
    });
    await sleep(ms, AbortSignal.any([ended.signal, this.handling.signal]));
  }
}
