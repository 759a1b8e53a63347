import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { identify, isAlive, type ProcessIdentity } from './identity';

/**
 * Record of a launcher's processes, from which the next launcher cleans up after a crash of all.
 */
export interface ProcessRecord {
  launcher: ProcessIdentity;
  /** Processes in stop order. */
  children: RecordedChild[];
  /** Folders to remove with the processes: sockets, throwaway data. */
  folders: string[];
}

export interface RecordedChild extends ProcessIdentity {
  name: string;
  stopSignal: NodeJS.Signals;
}

function alreadyRunning(pid: number, file: string): StartRefusal {
  return new StartRefusal(
    exitStatuses.busy,
    `Another system (process ${String(pid)}) uses this data folder already, says ${file}`,
  );
}

const STOP_WITHIN_MS = 15_000;
const STOP_POLL_MS = 50;

export async function writeRecord(file: string, record: ProcessRecord): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Record of a launcher that is alive; undefined if none runs on the data folder. */
export async function livingRecord(file: string): Promise<ProcessRecord | undefined> {
  const record = await readRecord(file);
  return record !== undefined && isAlive(record.launcher) ? record : undefined;
}

/** Stops processes of a dead launcher. Refuses the start if the launcher is alive. */
export async function recoverFromRecord(file: string, log: (line: string) => void): Promise<void> {
  const record = await readRecord(file);
  if (!record) return;
  if (isAlive(record.launcher)) throw alreadyRunning(record.launcher.pid, file);
  for (const child of record.children.filter(isAlive)) {
    log(`Stopping ${child.name} (process ${String(child.pid)}), left by a dead launcher`);
    await stopLeftOver(child);
  }
  for (const folder of record.folders) await rm(folder, { recursive: true, force: true });
  await rm(file, { force: true });
}

async function readRecord(file: string): Promise<ProcessRecord | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessRecord;
  } catch {
    // No record yet. Writes are atomic, so an unreadable file is not a record.
    return undefined;
  }
}

/**
 * Waits for the end of processes that are not children of this launcher; children are awaited by
 * their exit event.
 */
export async function stopLeftOver(
  child: ProcessIdentity & { stopSignal: NodeJS.Signals },
): Promise<void> {
  signalIfAlive(child, child.stopSignal);
  for (let waitedMs = 0; isAlive(child) && waitedMs < STOP_WITHIN_MS; waitedMs += STOP_POLL_MS) {
    await delay(STOP_POLL_MS);
  }
  signalIfAlive(child, 'SIGKILL');
}

function signalIfAlive(recorded: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(recorded)) return;
  try {
    process.kill(recorded.pid, signal);
  } catch {
    // The process ended between the check and the signal.
  }
}

export function ownIdentity(): ProcessIdentity {
  return identify(process.pid) ?? { pid: process.pid, startedAt: 'unknown' };
}
