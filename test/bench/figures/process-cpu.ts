import { readdirSync, readFileSync } from 'node:fs';

// The kernel's unit of these figures; fixed at 100 on all common Linux systems.
const ticksPerSecond = 100;

/** CPU seconds used so far by each named process with all its descendants, from the kernel. */
export function cpuSecondsOf(pids: Readonly<Record<string, number>>): Record<string, number> {
  const processes = readProcesses();
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, ticksOf(pid, processes) / ticksPerSecond]),
  );
}

/** CPU seconds used between two readings. */
export function cpuSecondsBetween(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]),
  );
}

/**
 * CPU milliseconds that running threads of these processes and their descendants have used so far,
 * from the scheduler: fine enough for one request. Threads that have ended do not count.
 */
export function cpuMsNow(pids: readonly number[]): number {
  const processes = readProcesses();
  const nanoseconds = pids
    .flatMap((pid) => withDescendants(pid, processes))
    .flatMap(threadTimes)
    .reduce((sum, one) => sum + one, 0);
  return nanoseconds / 1e6;
}

function withDescendants(pid: number, processes: ReadonlyMap<number, ProcessTicks>): number[] {
  const children = [...processes].filter(([, { parent }]) => parent === pid);
  return [pid, ...children.flatMap(([child]) => withDescendants(child, processes))];
}

function threadTimes(pid: number): number[] {
  try {
    return readdirSync(`/proc/${String(pid)}/task`).map((thread) => {
      const text = readFileSync(`/proc/${String(pid)}/task/${thread}/schedstat`, 'utf8');
      return Number(text.split(' ')[0]);
    });
  } catch {
    // The process or one of its threads ended while they were being read.
    return [];
  }
}

interface ProcessTicks {
  readonly parent: number;
  readonly ticks: number;
}

function readProcesses(): Map<number, ProcessTicks> {
  const processes = new Map<number, ProcessTicks>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(name);
    if (stat !== undefined) processes.set(Number(name), stat);
  }
  return processes;
}

function readStat(pid: string): ProcessTicks | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // The process ended while the list was being read.
    return undefined;
  }
  // The second field is the program's name in brackets, which may contain any character; state,
  // parent and others follow.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (index: number) => Number(fields[index - 3]);
  // 14 to 17: own user and system time, then that of reaped children.
  return { parent: field(4), ticks: field(14) + field(15) + field(16) + field(17) };
}

function ticksOf(pid: number, processes: ReadonlyMap<number, ProcessTicks>): number {
  const children = [...processes].filter(([, { parent }]) => parent === pid);
  return children.reduce(
    (sum, [child]) => sum + ticksOf(child, processes),
    processes.get(pid)?.ticks ?? 0,
  );
}
