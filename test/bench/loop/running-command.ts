import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A command of package.json that runs until it is stopped. */
export class RunningCommand {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: readonly string[],
    private readonly ended: Promise<unknown>,
  ) {}

  static start(root: string, args: readonly string[]): RunningCommand {
    const child = spawn(process.execPath, ['deploy/local/run.mjs', ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    const running = new RunningCommand(child, lines, once(child, 'close'));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        lines.push(line);
        child.emit('line', line);
      });
    }
    return running;
  }

  /** Waits for a line of either output. */
  async line(isWanted: (line: string) => boolean): Promise<string> {
    const known = this.lines.find(isWanted);
    if (known !== undefined) return known;
    return await new Promise((resolve, reject) => {
      this.child.on('line', (line: string) => {
        if (isWanted(line)) resolve(line);
      });
      void this.ended.then(() => {
        reject(new Error(`The command ended early:\n${this.lines.slice(-20).join('\n')}`));
      });
    });
  }

  /** Exit status, after it has ended. */
  async status(): Promise<number | null> {
    await this.ended;
    return this.child.exitCode;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}
