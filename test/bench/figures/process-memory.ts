import { readFileSync, writeFileSync } from 'node:fs';

// The kernel's code for the peak of resident memory.
const peakOfMemory = '5';

/** Current resident memory of each named process, in MB. */
export function residentMbOf(pids: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, residentMb(pid)]));
}

/** Forgets the peak of a process's resident memory, so that it is the current memory. */
export function resetPeakOf(pid: number): void {
  writeFileSync(`/proc/${String(pid)}/clear_refs`, peakOfMemory);
}

/** Highest resident memory of a process since its peak was reset, in MB. */
export function peakMbOf(pid: number): number {
  return statusMb(pid, 'VmHWM');
}

function residentMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

function statusMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const kb = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kb === undefined) throw new Error(`Process ${String(pid)} has no memory`);
  return Number(kb) / 1_024;
}
