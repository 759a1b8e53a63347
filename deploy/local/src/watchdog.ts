import { spawn } from 'node:child_process';

/**
 * A shell that outlives the launcher by a moment: its standard input ends when the launcher dies, however it dies, and
 * then it stops what the last line names and removes the folders. The line is `SIGNAL:pid ...` in stop order.
 */
const SCRIPT = `
alive() {
  kill -0 "$1" 2>/dev/null || return 1
  # A dead process may wait long for its new parent to take note of it.
  read -r stat <"/proc/$1/stat" || return 0
  case "\${stat##*) }" in [ZX]*) return 1 ;; esac
}
processes=
while IFS= read -r line; do processes=$line; done
[ -n "$processes" ] || exit 0
for entry in $processes; do
  [ "$entry" = none ] && continue
  pid=\${entry#*:}
  kill -s "\${entry%%:*}" "$pid" 2>/dev/null || continue
  tries=0
  while alive "$pid" && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -s KILL "$pid" 2>/dev/null
done
rm -rf -- "$@"
`;

export interface Watched {
  pid: number;
  stopSignal: NodeJS.Signals;
}

export interface Watchdog {
  /** Replaces the list; the first is stopped first. */
  watch(processes: readonly Watched[]): void;
  /** Everything was stopped in order: the watchdog goes without doing anything. */
  dismiss(): void;
}

export function startWatchdog(foldersToRemove: readonly string[]): Watchdog {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'billing-watchdog', ...foldersToRemove], {
    // Not in the terminal's group, so that Ctrl-C does not take the safety net away.
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  shell.on('error', () => undefined);
  // The pipe must not keep a launcher alive that has nothing else to do.
  const input = shell.stdin as NonNullable<typeof shell.stdin> & { unref?: () => void };
  input.on('error', () => undefined);
  input.unref?.();
  return {
    watch: (processes) => {
      const line = processes.map(({ stopSignal, pid }) => `${stopSignal.slice(3)}:${String(pid)}`);
      input.write(`${line.join(' ') || 'none'}\n`);
    },
    dismiss: () => {
      input.end('\n');
    },
  };
}
