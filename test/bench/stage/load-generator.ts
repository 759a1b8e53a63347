import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startProgram } from './program';

/** Requests repeated over a number of connections, each with one request at a time. */
export interface LoadJob {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: readonly {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly body?: string;
  }[];
}

export interface LoadResult {
  /** Responses with a status of 2xx. */
  readonly answered: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly latencyMs: Readonly<Record<'p50' | 'p90' | 'p99' | 'p99_9' | 'max', number>>;
  /** CPU use of the generator, as a share of one core. */
  readonly cpuShare: number;
}

/** Generates load in a separate process. */
export class LoadGenerator {
  private constructor(private readonly child: ChildProcess) {}

  static async start(): Promise<LoadGenerator> {
    return new LoadGenerator(await startProgram('stage/load'));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Throws if any request failed: a failing program must not count as a slow one. */
  async run(job: LoadJob): Promise<LoadResult> {
    this.child.send(job);
    const [result] = (await once(this.child, 'message')) as [LoadResult | { failure: string }];
    if ('failure' in result) throw new Error(`The load generator failed: ${result.failure}`);
    if (result.failed > 0 || result.answered === 0) {
      throw new Error(
        `${job.url} failed ${String(result.failed)} of ${String(result.answered + result.failed)} requests`,
      );
    }
    return result;
  }

  stop(): void {
    this.child.kill();
  }
}
