import { constants } from 'node:os';
import { ConfigurationError } from './configuration';
import { createLogger } from './logging';

/** What runs until it is told to stop. */
export interface Running {
  stop(): Promise<void>;
}

interface Opened {
  readonly name: string;
  readonly close: () => Promise<void>;
}

// Below the 30 s that Kubernetes gives a pod, above the grace that services give their calls.
const stopLimitMs = 25_000;

const exitCodes = { stopped: 0, failed: 1, bug: 70 };

/** Closes what was opened, in the reverse order, whatever fails. */
export class Closers {
  private readonly opened: Opened[] = [];
  private closing: Promise<void> | undefined;

  add(name: string, close: () => Promise<void>): void {
    this.opened.push({ name, close });
  }

  /** Rejects at the end if something could not be closed. A second call waits for the first. */
  closeAll(): Promise<void> {
    this.closing ??= this.closeInOrder().finally(() => {
      this.closing = undefined;
    });
    return this.closing;
  }

  private async closeInOrder(): Promise<void> {
    const errors: Error[] = [];
    for (let next = this.opened.pop(); next !== undefined; next = this.opened.pop()) {
      try {
        await next.close();
      } catch (error) {
        errors.push(new Error(`Cannot close ${next.name}`, { cause: error }));
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1)
      throw new AggregateError(errors, errors.map(({ message }) => message).join('; '));
  }
}

/**
 * The life of a process: start, run, and stop once on SIGTERM or SIGINT. A second signal ends it at once. An error that nobody
 * caught is a bug: it is logged and the process stops, because its state can no longer be trusted.
 */
export function runProcess(name: string, start: () => Promise<Running>): void {
  void new Lifecycle(name, start).run();
}

class Lifecycle {
  private running: Promise<Running> | undefined;
  private isStopping = false;

  constructor(
    private readonly name: string,
    private readonly start: () => Promise<Running>,
  ) {}

  async run(): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (this.isStopping) process.exit(128 + constants.signals[signal]);
        void this.stop(exitCodes.stopped);
      });
    }
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        this.logError(error, event);
        void this.stop(exitCodes.bug);
      });
    }
    try {
      this.running = this.start();
      await this.running;
    } catch (error) {
      process.stderr.write(`${this.name} cannot start: ${describe(error)}\n`);
      process.exit(exitCodes.failed);
    }
  }

  private async stop(code: number): Promise<void> {
    if (this.isStopping) return;
    this.isStopping = true;
    setTimeout(() => {
      this.logError(new Error(`Not stopped within ${String(stopLimitMs)} ms`), 'stop failed');
      process.exit(code === exitCodes.stopped ? exitCodes.failed : code);
    }, stopLimitMs);
    try {
      const running = await this.running;
      await running?.stop();
      process.exit(code);
    } catch (error) {
      this.logError(error, 'stop failed');
      process.exit(code === exitCodes.stopped ? exitCodes.failed : code);
    }
  }

  private logError(error: unknown, message: string): void {
    createLogger({ service: this.name, level: 'error' }).fatal({ err: error }, message);
  }
}

function describe(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
