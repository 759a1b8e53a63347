import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const readyWithinMs = 20_000;

/**
 * Starts a file of the benchmarks as a separate process, and waits until it reports ready. It ends
 * with this process.
 */
export async function startProgram(
  file: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const child = fork(join(__dirname, `../${file}.js`), {
    env: { ...process.env, ...environment },
    // Standard output is reserved for the report.
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`${file} was not ready in time`));
    }, readyWithinMs);
    child.once('message', () => {
      clearTimeout(timer);
      resolve();
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`${file} ended with ${String(code)}`));
    });
  });
  return child;
}

/** Result of a program that counts and times its own work. */
export interface Work {
  readonly operations: number;
  readonly seconds: number;
}

/** Has a program run a job; rejects with the failure that it reports. */
export async function runJob<Result extends object>(
  program: ChildProcess,
  job: object,
): Promise<Result> {
  program.send(job);
  const [answer] = (await once(program, 'message')) as [Result | { failure: string }];
  if ('failure' in answer) throw new Error(`A program failed: ${answer.failure}`);
  return answer;
}
