import { readFileSync } from 'node:fs';

/** Current resident memory of each named process, in MB. */
export function residentMbOf(pids: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, residentMb(pid)]));
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kb === undefined) throw new Error(`Process ${String(pid)} has no memory`);
  return Number(kb) / 1_024;
}
