import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { BatchShape } from './event-batches';
import type { Latency } from './latency-histogram';
import type { Stage } from './stage';

/** What is sent, and how. */
export interface TimedJob {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly pace:
    | { readonly kind: 'closed'; readonly inFlight: number }
    /** Requests by the clock. */
    | { readonly kind: 'open'; readonly perSecond: number };
  readonly work:
    | { readonly kind: 'ingest'; readonly shape: BatchShape }
    | { readonly kind: 'get'; readonly paths: readonly string[] };
}

export interface TimedResult {
  /** With a status of 2xx. */
  readonly answered: number;
  readonly failed: number;
  /** Events of the batches that were answered, and what became of them. */
  readonly events: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Until the last answer. */
  readonly seconds: number;
  /** Where the pace is open: from the moment at which the request was to be sent. */
  readonly latencyMs: Latency;
  /** What the generator itself used, as a share of one core. */
  readonly cpuShare: number;
}

/** Makes load by the clock, in a process of its own. */
export class TimedGenerator {
  private constructor(private readonly child: ChildProcess) {}

  static async start(stage: Stage): Promise<TimedGenerator> {
    return new TimedGenerator(await stage.program('timed-load', {}));
  }

  /** Throws where anything but success was answered: a failing program is no slow one. */
  async run(job: TimedJob): Promise<TimedResult> {
    this.child.send(job);
    const [result] = (await once(this.child, 'message')) as [TimedResult | { failure: string }];
    if ('failure' in result) throw new Error(`The load generator failed: ${result.failure}`);
    if (result.failed > 0 || result.answered === 0) {
      throw new Error(
        `${job.url} failed ${String(result.failed)} of ${String(result.answered + result.failed)} requests`,
      );
    }
    return result;
  }
}
