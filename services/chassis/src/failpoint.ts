import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a process notes the boundaries that it passes, and reads at which it is to die. */
interface Failpoints {
  readonly service: string;
  readonly hitsFile: string;
  readonly plan: KillPlan;
}

// Undefined everywhere but in a crash test: then a boundary costs one comparison.
let failpoints: Failpoints | undefined;

/**
 * Switches the process's failpoints on where a folder is configured. Each boundary that is passed adds its name as a line to `hits` there.
 * A file `kills` may hold lines `<name> <n>`: the process that passes the boundary of the first line for the n-th time takes the line out
 * and kills itself as the power would; the next line counts from there. So one running system can be killed everywhere, again and again.
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
 * Takes a step between two states that a crash may leave behind: a write, a call, an answer. With failpoints on, the boundaries before and
 * after it are named `<service>/<subject>/<step>:before` and `:after`.
 */
export function atBoundary<T>(subject: string, step: string, take: () => Promise<T>): Promise<T> {
  return failpoints === undefined
    ? take()
    : between(failpoints, nameOf(failpoints.service, subject, step), take);
}

// A call's step is its path, which begins with a slash.
function nameOf(service: string, subject: string, step: string): string {
  return `${service}/${subject}/${step.replace(/^\//, '')}`;
}

async function between<T>(open: Failpoints, name: string, take: () => Promise<T>): Promise<T> {
  pass(open, `${name}:before`);
  const taken = await take();
  pass(open, `${name}:after`);
  return taken;
}

function pass({ hitsFile, plan }: Failpoints, name: string): void {
  appendFileSync(hitsFile, `${name}\n`);
  if (plan.isOver(name)) process.kill(process.pid, 'SIGKILL');
}

/** Where the process is to die, as a test has written it. */
class KillPlan {
  private lastRead = '';
  private passed = 0;

  constructor(private readonly file: string) {}

  /** Whether the process has passed the first line's boundary often enough. A plan that has changed counts from zero. */
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

  // Whole or not at all, for whoever reads it at this moment.
  private write(text: string): void {
    writeFileSync(`${this.file}.next`, text);
    renameSync(`${this.file}.next`, this.file);
  }
}
