import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const operations = join(__dirname, '../../deploy/operations/dist');

/** End of a command of the product. */
export interface Ended {
  /** Undefined: it was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Report of a command that prints one line of JSON. */
export function reportOf({ stdout, stderr }: Ended): any {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`No report: ${stdout}${stderr}`);
  return JSON.parse(line);
}

/** True for what a command has reported if it is to be killed. */
export type IsFatal = (reported: string) => boolean;

/** Runs a command of the product once no other run of it has the lease. */
export async function runCommand(
  [command, ...args]: readonly [string, ...string[]],
  { env, isFatal = () => false }: { env: NodeJS.ProcessEnv; isFatal?: IsFatal | undefined },
): Promise<Ended> {
  for (;;) {
    const program = join(operations, command, 'main.js');
    const ended = await runOnce([program, ...args], env, isFatal);
    const isBusy = ended.code === 75 && ended.stderr.includes(`A ${command} is running`);
    if (!isBusy) return ended;
    await delay(1_000);
  }
}

async function runOnce(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  isFatal: IsFatal,
): Promise<Ended> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const watch = setInterval(() => {
    if (isFatal(stderr)) child.kill('SIGKILL');
  }, 5);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watch);
  return { code: code ?? undefined, stdout, stderr };
}
