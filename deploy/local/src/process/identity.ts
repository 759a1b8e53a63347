import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Identifies a process by pid and start time, so that a reused pid is not mistaken for the recorded
 * process.
 */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** Current process with this pid; undefined if there is none or only a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? linuxStart(pid) : posixStart(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isAlive(recorded: ProcessIdentity): boolean {
  return identify(recorded.pid)?.startedAt === recorded.startedAt;
}

function linuxStart(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return startFromStat(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'), boot);
  } catch {
    // No such process.
    return undefined;
  }
}

/**
 * Start of a process. The start time in /proc/<pid>/stat counts from the boot, so the boot id is
 * part of it.
 */
export function startFromStat(stat: string, boot: string): string | undefined {
  // The second field, the program's name in parentheses, may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const startTicks = fields[19];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  return `${boot}/${startTicks}`;
}

function posixStart(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const line = stdout.trim();
  return line === '' ? undefined : line;
}
