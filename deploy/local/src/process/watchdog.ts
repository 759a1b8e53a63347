import { spawn } from 'node:child_process';

/**
 * A shell that outlives the launcher briefly. Its standard input closes when the launcher dies, for
 * any reason. Then it stops the processes of the last line and removes the folders. The line is
 * `SIGNAL:pid ...` in stop order.
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

interface Watched {
  pid: number;
  stopSignal: NodeJS.Signals;
}

export interface Watchdog {
  /** Replaces the list of processes, in stop order. */
  watch(processes: readonly Watched[]): void;
  /** Ends the watchdog without further action, after an orderly stop. */
  dismiss(): void;
}

export function startWatchdog(foldersToRemove: readonly string[]): Watchdog {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'billing-watchdog', ...foldersToRemove], {
    // Not in the terminal's process group, so that Ctrl-C does not end the watchdog.
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  shell.on('error', () => undefined);
  // The pipe must not keep the launcher's event loop alive.
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
