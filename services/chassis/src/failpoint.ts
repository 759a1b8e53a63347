import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Files in which a process records the boundaries that it passes and reads where to kill itself.
 */
interface Failpoints {
  readonly service: string;
  readonly hitsFile: string;
  readonly plan: KillPlan;
}

// Undefined except in a crash test, so that a boundary normally costs one comparison.
let failpoints: Failpoints | undefined;

/**
 * Enables the process's failpoints if a folder is configured. Each boundary that is passed appends
 * its name as a line to `hits` in that folder. A file `kills` may contain lines `<name> <n>`: the
 * process that passes the boundary of the first line for the n-th time removes the line and kills
 * itself, as a power failure would. The next line counts from there. One running system can thus be
 * killed at every boundary, repeatedly.
 */
export function openFailpoints(service: string, folder: string | undefined): void {
  if (folder === undefined) return;
  failpoints = {
    service,
    hitsFile: join(folder, 'hits'),
    plan: new KillPlan(join(folder, 'kills')),
  };
}

/**
 * Runs a step between two states that a crash may leave behind: a write, a call, an answer. With
 * failpoints enabled, the boundaries before and after it are named
 * `<service>/<subject>/<step>:before` and `:after`.
 */
export function atBoundary<T>(subject: string, step: string, run: () => Promise<T>): Promise<T> {
  return failpoints === undefined
    ? run()
    : between(failpoints, nameOf(failpoints.service, subject, step), run);
}

// The step of a call is its path, which begins with a slash.
function nameOf(service: string, subject: string, step: string): string {
  return `${service}/${subject}/${step.replace(/^\//, '')}`;
}

async function between<T>(open: Failpoints, name: string, run: () => Promise<T>): Promise<T> {
  pass(open, `${name}:before`);
  const result = await run();
  pass(open, `${name}:after`);
  return result;
}

function pass({ hitsFile, plan }: Failpoints, name: string): void {
  appendFileSync(hitsFile, `${name}\n`);
  if (plan.isOver(name)) process.kill(process.pid, 'SIGKILL');
}

/** Kills that a test has requested. */
class KillPlan {
  private lastRead = '';
  private passed = 0;

  constructor(private readonly file: string) {}

  /**
   * True if the process has passed the first line's boundary often enough. A changed plan counts
   * from zero.
   */
  isOver(name: string): boolean {
    const text = this.read();
    if (text !== this.lastRead) this.passed = 0;
    this.lastRead = text;
    const [first = '', ...later] = text.split('\n');
    const [killAt, hit] = first.split(' ');
    if (killAt !== name) return false;
    this.passed += 1;
    if (this.passed < Number(hit)) return false;
    this.write(later.join('\n'));
    return true;
  }

  private read(): string {
    try {
      return readFileSync(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }

  // Written atomically for concurrent readers.
  private write(text: string): void {
    writeFileSync(`${this.file}.next`, text);
    renameSync(`${this.file}.next`, this.file);
  }
}
