const { readdirSync, readFileSync } = require('node:fs');

// Linux counts processor time in hundredths of a second.
const TICKS_PER_SECOND = 100;

/**
 * Processor seconds that processes and everything that they started have used; `without` leaves out
 * families. Elsewhere than on Linux: those of this process alone.
 */
function processorSeconds(roots, without = []) {
  const processes = readProcesses();
  if (processes === undefined) return roots.includes(process.pid) ? ownSeconds() : 0;
  const family = [...roots];
  // Grows while it is walked.
  for (const parent of family) {
    for (const [child, { ppid }] of processes) {
      if (ppid === parent && !without.includes(child)) family.push(child);
    }
  }
  return family.reduce((sum, member) => sum + (processes.get(member)?.seconds ?? 0), 0);
}

/** Processes of the servers that all tests share, if this process started them. */
function sharedServers() {
  return Object.values(globalThis.billingInfrastructure?.pids() ?? {});
}

function ownSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** Each process, with its parent and the seconds of it and of its children that have ended. */
function readProcesses() {
  try {
    const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return new Map(names.flatMap((name) => readProcess(name)));
  } catch {
    return undefined;
  }
}

function readProcess(name) {
  try {
    // The program's name in brackets may contain spaces and brackets.
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [[Number(name), { ppid: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND }]];
  } catch {
    // It has ended.
    return [];
  }
}

module.exports = { processorSeconds, sharedServers };
