import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Starts one more process of a service, with the configuration of a running one. */
export function startReplica(pid = 0, changes: NodeJS.ProcessEnv = {}): ChildProcess {
  const read = (file: string) =>
    readFileSync(`/proc/${String(pid)}/${file}`, 'utf8')
      .split('\0')
      .filter((part) => part !== '');
  const environment = Object.fromEntries(
    read('environ').map((variable) => {
      const [name = '', ...value] = variable.split('=');
      return [name, value.join('=')];
    }),
  );
  const [command = '', ...args] = read('cmdline');
  const env = { ...environment, GRPC_LISTEN: '127.0.0.1:0', ...changes };
  return spawn(command, args, { env, stdio: 'ignore' });
}
