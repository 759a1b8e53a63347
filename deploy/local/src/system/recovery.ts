import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '@billing/chassis/clock';
import { exitStatuses } from '@billing/chassis/start-refusal';
import { SystemStore } from '@billing/chassis/system-store';
import { MongoClient } from 'mongodb';
import { databaseNames, mongoOptions } from './moved-data';
import type { Environment } from './service-settings';

interface RecoveryOptions {
  /** Root of the repository, with the built command. */
  readonly root: string;
  readonly mongodbUri: string;
  readonly dataDir: string;
  readonly databasePrefix: string;
  readonly services: Environment;
  readonly log: (line: string) => void;
}

const retryEveryMs = 2_000;
/** Longer than the lease that a killed `reconcile` leaves. */
const busyMsMax = 120_000;

/**
 * Runs `reconcile` if the data was restored and is not open yet. Runs it again while it ends with
 * 75: a killed run has the lease for 25 s. Returns false if the system stays closed; the command
 * has printed why.
 */
export async function openAfterRestore(options: RecoveryOptions): Promise<boolean> {
  const { log } = options;
  const startedMs = monotonicMs();
  while (await isRecovering(options)) {
    log('The data was restored: running npm run reconcile');
    const isBusy = (await runReconcile(options)) === exitStatuses.busy;
    if (!isBusy || monotonicMs() - startedMs >= busyMsMax) return !(await isRecovering(options));
    log('npm run reconcile is busy: trying again');
    await delay(retryEveryMs);
  }
  return true;
}

/** Announces a system that stayed closed, once it was opened by another command. */
export function announceOnceOpen(
  options: RecoveryOptions,
  announce: () => Promise<void>,
): { stop(): Promise<void> } {
  const isOpen = async () => !(await isRecovering(options));
  return runOnceTrue(isOpen, announce, { everyMs: retryEveryMs, log: options.log });
}

/** Runs work once a condition is true. A failure of either is followed by another attempt. */
export function runOnceTrue(
  isTrue: () => Promise<boolean>,
  work: () => Promise<void>,
  { everyMs, log }: { everyMs: number; log: (line: string) => void },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    for (;;) {
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        if (!(await isTrue())) continue;
        await work();
        return;
      } catch (error) {
        log(`The system is not announced yet: ${(error as Error).message}`);
      }
    }
  };
  const done = run();
  return {
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

/** Returns the exit status; null if the command was killed. */
async function runReconcile({
  root,
  mongodbUri,
  dataDir,
  databasePrefix,
}: RecoveryOptions): Promise<number | null> {
  const program = join(root, 'deploy/operations/dist/reconcile/main.js');
  const command = spawn(process.execPath, [program, '--data', dataDir], {
    env: reconcileEnvironment(process.env, { mongodbUri, databasePrefix }),
    // Standard output is for the line that announces the system.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const end = () => {
    command.kill();
  };
  process.once('exit', end);
  const [status] = (await once(command, 'exit')) as [number | null];
  process.off('exit', end);
  return status;
}

/** Environment of the launcher for `reconcile`, which gets the servers of this start by value. */
export function reconcileEnvironment(
  all: NodeJS.ProcessEnv,
  { mongodbUri, databasePrefix }: Pick<RecoveryOptions, 'mongodbUri' | 'databasePrefix'>,
): NodeJS.ProcessEnv {
  const decided = ['BILLING_ARCHIVE', 'MONGODB_URI_FILE', 'DATABASE_PREFIX_FILE'];
  const others = Object.entries(all).filter(([variable]) => !decided.includes(variable));
  return {
    ...Object.fromEntries(others),
    MONGODB_URI: mongodbUri,
    DATABASE_PREFIX: databasePrefix,
  };
}

async function isRecovering({
  mongodbUri,
  databasePrefix,
  services,
}: RecoveryOptions): Promise<boolean> {
  const client = await MongoClient.connect(mongodbUri, mongoOptions(services));
  try {
    for (const name of databaseNames(databasePrefix).values()) {
      if ((await new SystemStore(client.db(name)).read())?.state === 'RECOVERING') return true;
    }
    return false;
  } finally {
    await client.close();
  }
}
