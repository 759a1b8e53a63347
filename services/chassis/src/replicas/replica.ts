import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** A replica whose heartbeat stood still for this long, by the reader's clock, is gone. */
export const goneAfterMs = 10_000;

/** Heartbeat of a replica, as read from the database. */
export interface Beat {
  readonly replica: string;
  /** Counts up; its clock is never compared with another replica's. */
  readonly beat: number;
}

const bootIdFile = '/proc/sys/kernel/random/boot_id';

let opened = 0;

/**
 * Creates the id of a replica in this process: machine and its boot, process, and a number. A
 * restarted container has its predecessor's id.
 */
export function newReplicaId(): string {
  const id = [machine(), String(process.pid), String(opened)].join('/');
  opened += 1;
  return id;
}

/** True for the id of a replica whose process ended on this machine without a goodbye. */
export function isEndedHere(replica: string): boolean {
  const [host, pid] = replica.split('/');
  return host === machine() && !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

// Containers of one machine share its boot id and differ in their names. Sandboxed containers may
// hide the file.
function machine(): string {
  const bootId = existsSync(bootIdFile) ? readFileSync(bootIdFile, 'utf8') : '';
  return `${hostname()}-${bootId.slice(0, 8)}`;
}
