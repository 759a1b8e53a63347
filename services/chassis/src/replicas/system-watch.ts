import type { Db } from 'mongodb';
import { type Clock, monotonicMs } from '../clock';
import { retryTransient } from '../mongo/mongo';
import type { Restore } from '../recovery/recovery';
import { Restores } from '../recovery/restores';
import { exitStatuses, StartRefusal } from '../start-refusal';
import {
  type CallKind,
  exchangesMessages,
  refusalOf,
  type SeenDocument,
  seen,
  type ShownState,
  stateOf,
  type SystemDocument,
  type SystemState,
} from './system-state';
import { SystemStore } from './system-store';

/** Clocks of a reader. */
export interface SystemWatchDependencies {
  readonly clock: Clock;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

/**
 * State of the system in this process. It is read from the database periodically and known in
 * memory; a failed read changes nothing.
 */
export class SystemWatch {
  readonly store: SystemStore;
  private readonly restores: Restores;
  private readonly nowMs: () => number;
  private last: SeenDocument | undefined;
  private writing = 0;
  private known: readonly Restore[] = [];

  constructor(
    db: Db,
    private readonly dependencies: SystemWatchDependencies,
  ) {
    this.store = new SystemStore(db);
    this.restores = new Restores(db);
    this.nowMs = dependencies.nowMs ?? monotonicMs;
  }

  get state(): SystemState {
    const { last, dependencies } = this;
    if (last === undefined) return 'OPEN';
    return stateOf(last, { nowMs: this.nowMs(), now: dependencies.clock.now() });
  }

  /** True while background work waits. */
  get isClosed(): boolean {
    return this.state !== 'OPEN';
  }

  /** True while events and commands wait: they are exchanged while the system recovers. */
  get holdsMessages(): boolean {
    const { state, last } = this;
    if (state !== 'RECOVERING') return state !== 'OPEN';
    return last?.document === undefined || !exchangesMessages(last.document);
  }

  /** Document of a system that recovers. */
  get recovering(): SystemDocument | undefined {
    return this.state === 'RECOVERING' ? this.last?.document : undefined;
  }

  /**
   * Code of the last restore; null before any. A process that runs while its database is restored
   * learns it before the system opens.
   */
  get restoreCode(): string | null {
    return this.known[0]?.code ?? null;
  }

  /** The last restore; undefined before any. */
  get lastRestore(): Restore | undefined {
    return this.known[0];
  }

  /** Codes of all restores. */
  get restoreCodes(): readonly string[] {
    return this.known.map(({ code }) => code);
  }

  async read(): Promise<void> {
    this.observe(await this.store.read());
  }

  /** Records a document that was just read. */
  observe(document: SystemDocument | undefined): void {
    this.last = seen(this.last, document, this.nowMs());
    const { restore } = document ?? {};
    if (restore === undefined || this.known.some(({ id }) => id === restore.id)) return;
    this.known = [restore, ...this.known];
  }

  /** Reads the state before anything is served, and refuses a start on data that was moved. */
  async check(): Promise<void> {
    await retryTransient(() => this.read());
    const { state, instant } = this.last?.document ?? {};
    if (state === 'MOVED') throw moved(instant);
    this.known = await this.restores.all();
  }

  /** Runs a call, unless the state of the system refuses it. */
  async call<T>(kind: CallKind, run: () => Promise<T>): Promise<T> {
    const refusal = refusalOf(this.state, kind);
    if (refusal !== undefined) throw refusal;
    return kind.writes ? await this.write(run) : await run();
  }

  /** Runs work that writes, and counts it as in flight. */
  async write<T>(run: () => Promise<T>): Promise<T> {
    this.writing += 1;
    try {
      return await run();
    } finally {
      this.writing -= 1;
    }
  }

  /** State for the heartbeat of this replica. */
  shown(): ShownState {
    const { state, writing } = this;
    const pause = state === 'PAUSED' ? this.last?.document?.pause?.id : undefined;
    const restore = this.recovering?.restore?.id;
    return {
      state,
      writing,
      ...(pause !== undefined && { pause }),
      ...(restore !== undefined && { restore }),
    };
  }
}

function moved(instant: Date | undefined): StartRefusal {
  const backup = `the final backup of ${instant?.toISOString() ?? 'an unknown instant'}`;
  const message = `This data was moved by ${backup}; start with --undo-final to use it again`;
  return new StartRefusal(exitStatuses.configuration, message);
}
