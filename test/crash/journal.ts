import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CrashPoint } from './runs';

/** The input of the runs: constant over all sittings. */
export interface CrashPlan {
  readonly seed: number;
  /** Points by the name of their flow. */
  readonly points: Readonly<Record<string, readonly CrashPoint[]>>;
}

/** The result of one run. */
export interface CrashOutcome {
  readonly title: string;
  readonly seconds: number;
  readonly killed: number;
  /** Undefined: success. */
  readonly failure?: string;
}

/**
 * A file with the plan in its first line and one outcome in each following one, so that a matrix
 * can be run in several sittings.
 */
export class CrashJournal {
  private constructor(
    private readonly file: string | undefined,
    readonly plan: CrashPlan,
    private readonly outcomes: Map<string, CrashOutcome>,
  ) {}

  /** Resumes the journal in the file, or begins one; without a file nothing is stored. */
  static async open(
    file: string | undefined,
    newPlan: () => Promise<CrashPlan>,
  ): Promise<CrashJournal> {
    const text = file === undefined ? '' : await textOf(file);
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [first, ...later] = whole.split('\n').slice(0, -1);
    if (file !== undefined && first !== undefined) {
      // The last line may have been cut off.
      if (whole !== text) await writeFile(file, whole);
      const outcomes = later.map((line) => JSON.parse(line) as CrashOutcome);
      const byTitle = new Map(outcomes.map((outcome) => [outcome.title, outcome]));
      return new CrashJournal(file, JSON.parse(first) as CrashPlan, byTitle);
    }
    const plan = await newPlan();
    if (file !== undefined) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(plan)}\n`);
    }
    return new CrashJournal(file, plan, new Map());
  }

  /** True for a successful run; a failed run is repeated. */
  isDone(title: string): boolean {
    const outcome = this.outcomes.get(title);
    return outcome !== undefined && outcome.failure === undefined;
  }

  async add(outcome: CrashOutcome): Promise<void> {
    this.outcomes.set(outcome.title, outcome);
    if (this.file !== undefined) await appendFile(this.file, `${JSON.stringify(outcome)}\n`);
  }

  /** Totals of all sittings. */
  counts(): { runs: number; kills: number; failures: string[] } {
    const all = [...this.outcomes.values()];
    return {
      runs: all.length,
      kills: all.reduce((sum, { killed }) => sum + killed, 0),
      failures: all.flatMap(({ title, failure }) =>
        failure === undefined ? [] : [`${title}: ${failure}`],
      ),
    };
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
