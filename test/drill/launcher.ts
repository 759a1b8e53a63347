import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@billing/chassis/listen-address';
import { eventually } from '@billing/chassis/testing';
import type { TestStripe } from '@billing/checkout/testing/stripe-provider';
import { type Ended, type IsFatal, runCommand } from './command';
import { stripeVariables } from './machine';

const bootstrap = join(__dirname, '../../deploy/local/run.mjs');
const waitMs = { timeoutMs: 300_000 };

/** A system that `npm start` runs. */
interface Started {
  /** What it has reported so far. */
  readonly progress: () => string;
  /** Waits for its ready line. */
  ready(): Promise<{ readonly gatewayUrl: string; readonly liveKey: string }>;
  stop(): Promise<void>;
}

/** Runs the commands of a user of this repository, on servers of their own. */
export class Commands {
  private readonly started: Started[] = [];

  private constructor(
    private readonly port: number,
    private readonly stripe: TestStripe,
  ) {}

  static async at(stripe: TestStripe): Promise<Commands> {
    return new Commands(await freePort(), stripe);
  }

  start(dataDir: string, ...more: readonly string[]): Started {
    const own = ['start', '--json', '--port', String(this.port), '--data', dataDir];
    const command = spawn(process.execPath, [bootstrap, ...own, ...more], {
      env: this.variables(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [output, progress] = ['', ''];
    command.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    command.stderr.setEncoding('utf8').on('data', (chunk: string) => (progress += chunk));
    const started: Started = {
      progress: () => progress,
      ready: () => eventually(() => JSON.parse(output), waitMs),
      stop: () => stop(command),
    };
    this.started.push(started);
    return started;
  }

  async run(...args: readonly string[]): Promise<Ended> {
    return promisify(execFile)(process.execPath, [bootstrap, ...args], {
      env: this.variables(),
    }).then(
      (done) => ({ code: 0, ...done }),
      (error: unknown) => error as Ended,
    );
  }

  /** Reconciles; `isFatal` may have the command killed, but no service. */
  async reconcile(dataDir: string, isFatal: IsFatal): Promise<Ended> {
    return runCommand(['reconcile', '--data', dataDir, '--json'], {
      env: this.variables(),
      isFatal,
    });
  }

  async end(): Promise<void> {
    for (const one of this.started) await one.stop();
  }

  private variables(): NodeJS.ProcessEnv {
    const { MONGODB_URI: _mongodb, NATS_URL: _nats, ...environment } = process.env;
    return { ...environment, ...stripeVariables(this.stripe) };
  }
}

async function stop(command: ChildProcess): Promise<void> {
  if (command.exitCode !== null || command.signalCode !== null) return;
  const ended = new Promise((resolve) => command.once('exit', resolve));
  command.kill('SIGTERM');
  await ended;
}
