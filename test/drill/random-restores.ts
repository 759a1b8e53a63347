import { numbersFrom } from '../support/rounds';
import type { Edit } from '../upgrade/releases';
import { DrillSystem } from './drill-system';
import { RandomActs } from './random-acts';
import { RandomRound } from './random-round';

/** Random rounds, each in a sandbox of its own; a failed one costs the system. */
export class RandomRestores {
  private system: DrillSystem | undefined;
  private known = { unmatched: new Set<string>(), lost: new Set<string>() };

  /** `edits`: faults of the services. */
  constructor(private readonly edits: readonly Edit[] = []) {}

  /** Runs the round of a seed; returns why it has failed. */
  async failureOf(seed: number): Promise<string | undefined> {
    const startedAt = performance.now();
    const say = (line: string) => {
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      process.stderr.write(`seed ${String(seed)} ${String(seconds)} s: ${line}\n`);
    };
    const random = numbersFrom(seed);
    try {
      this.system ??= await DrillSystem.start({ playYear: false, edits: this.edits });
      const acts = await RandomActs.on(await this.system.beginScene(), random);
      await new RandomRound(this.system, acts, { random, say, ...this.known }).run();
      return undefined;
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      say(`FAILED ${failure}`);
      await this.end();
      return failure;
    }
  }

  async end(): Promise<void> {
    const { system } = this;
    this.system = undefined;
    this.known = { unmatched: new Set(), lost: new Set() };
    await system?.end();
  }
}
