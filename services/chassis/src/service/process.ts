import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { GetStatusResponse } from '@billing/proto/billing/system/v1/system';
import { sleep } from '../clock';
import { flushCompileCache } from 'node:module';
import { constants } from 'node:os';
import { DomainError } from '@billing/kernel/domain-error';
import { ConfigurationError } from './configuration';
import { createLogger } from '../telemetry/logging';
import { redactSecrets } from '../telemetry/redaction';
import { exitStatuses, StartRefusal } from '../start-refusal';

/** A running part of the process that can be stopped. */
export interface Running {
  stop(): Promise<void>;
  /** Maximum time for stopping; longer counts as failed. */
  readonly stopLimitMs?: number;
}

// Below the 30 s that Kubernetes gives a pod, above the grace that services give their calls.
const stopLimitMsDefault = 25_000;

const eventLoopSampleMs = 100;
const eventLoopResolutionMs = 10;

const exitCodes = { stopped: 0, failed: 1, bug: 70 };

/** Closes resources in the reverse order of their opening, and continues after failures. */
export class Closers {
  private readonly opened: { name: string; close: () => Promise<void> }[] = [];
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
    if (errors.length > 0) {
      throw new AggregateError(errors, errors.map(({ message }) => message).join('; '));
    }
  }
}

/**
 * Runs a process: start, run, and stop once on SIGTERM or SIGINT. A second signal ends it
 * immediately. An uncaught error is a bug: it is logged and the process stops, because its state
 * can no longer be trusted.
 */
export function runProcess(name: string, start: () => Promise<Running>): void {
  const lifecycle = new Lifecycle(name, start);
  void lifecycle.run();
}

/**
 * Runs a process that does one thing. Only its output is written to standard output. An uncaught
 * error ends it with one line.
 */
export function runCommand(name: string, run: () => Promise<string>): void {
  process.once('uncaughtException', (error) => {
    process.stderr.write(`${name} failed: ${redactSecrets(reasonsOf(error))}\n`);
    process.exit(exitCodes.bug);
  });
  run().then(
    (answer) => {
      process.stdout.write(`${answer}\n`);
    },
    (error: unknown) => {
      const reason = error instanceof DomainError ? error.message : describe(error);
      process.stderr.write(`${name} failed: ${redactSecrets(reason)}\n`);
      process.exitCode = exitStatusOf(error);
    },
  );
}

class Lifecycle {
  private running: Promise<Running> | undefined;
  private isStopping = false;
  private exitCode = exitCodes.stopped;

  constructor(
    private readonly name: string,
    private readonly start: () => Promise<Running>,
  ) {}

  async run(): Promise<void> {
    this.listen();
    try {
      this.running = this.start();
      await this.running;
      // With NODE_COMPILE_CACHE set, a process that is killed later leaves its compiled code to the
      // next one.
      flushCompileCache();
    } catch (error) {
      const prefix = isForPeople(error) ? '' : `${this.name} cannot start: `;
      process.stderr.write(`${prefix}${redactSecrets(describe(error))}\n`);
      process.exit(exitStatusOf(error));
    }
  }

  private listen(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (this.isStopping) process.exit(128 + constants.signals[signal]);
        void this.stop();
      });
    }
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        this.exitCode = exitCodes.bug;
        this.logError(error, event);
        void this.stop();
      });
    }
  }

  private async stop(): Promise<void> {
    if (this.isStopping) return;
    this.isStopping = true;
    try {
      // A start in progress is finished first: only then is it known what has to be closed.
      const limit = this.limitStop(stopLimitMsDefault);
      const running = await this.running;
      clearTimeout(limit);
      this.limitStop(running?.stopLimitMs ?? stopLimitMsDefault);
      await running?.stop();
    } catch (error) {
      this.fail(error);
    }
    process.exit(this.exitCode);
  }

  private limitStop(limitMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.fail(new Error(`Not stopped within ${String(limitMs)} ms`));
      process.exit(this.exitCode);
    }, limitMs);
  }

  private fail(error: unknown): void {
    this.logError(error, 'stop failed');
    if (this.exitCode === exitCodes.stopped) this.exitCode = exitCodes.failed;
  }

  private logError(error: unknown, message: string): void {
    createLogger({ service: this.name, level: 'error' }).fatal({ err: error }, message);
  }
}

/** True for errors that people can fix, who need no stack. */
function isForPeople(error: unknown): error is ConfigurationError | StartRefusal {
  return error instanceof ConfigurationError || error instanceof StartRefusal;
}

function exitStatusOf(error: unknown): number {
  if (error instanceof StartRefusal) return error.exitStatus;
  if (error instanceof DomainError && error.kind === 'unavailable') return exitStatuses.busy;
  // Refusals of a service, too: another try meets them again.
  const isRefusal = error instanceof ConfigurationError || error instanceof DomainError;
  return isRefusal ? exitStatuses.configuration : exitCodes.bug;
}

// For people who configured the process: reasons come first, and a stack only if the program itself
// may be at fault.
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isForPeople(error)) return error.message;
  return `${reasonsOf(error)}\n${error.stack ?? ''}`;
}

function reasonsOf(error: Error): string {
  const reasons: string[] = [];
  for (let next: unknown = error; next instanceof Error; next = next.cause) {
    reasons.push(next.message);
  }
  return reasons.join(': ');
}

/**
 * Status of the process. The event loop is measured only for a moment: a permanent measurement
 * would wake the process fifty times a second.
 */
export async function processStatus(): Promise<
  Pick<GetStatusResponse, 'eventLoopDelaySeconds' | 'memoryBytes'>
> {
  const delays = monitorEventLoopDelay({ resolution: eventLoopResolutionMs });
  delays.enable();
  await sleep(eventLoopSampleMs);
  delays.disable();
  // The monitor measures the time between ticks; for an idle loop that is its resolution.
  const measured = delays.count === 0 ? 0 : delays.percentile(99) / 1e9;
  return {
    eventLoopDelaySeconds: Math.max(measured - eventLoopResolutionMs / 1_000, 0),
    memoryBytes: BigInt(process.memoryUsage.rss()),
  };
}
