import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { BatchShape } from './event-batches';
import type { Latency } from '../figures/latency-histogram';
import type { Stage } from './stage';

/** The requests and their pace. */
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
    | { readonly kind: 'get'; readonly paths: readonly string[] }
    /** Creations with equal bodies. */
    | { readonly kind: 'post'; readonly path: string; readonly body: object };
}

export interface TimedResult {
  /** Responses with a status of 2xx. */
  readonly answered: number;
  readonly failed: number;
  /** Events of the answered batches, by result. */
  readonly events: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Until the last response. */
  readonly seconds: number;
  /** For an open pace measured from the scheduled time of the request. */
  readonly latencyMs: Latency;
  /** CPU use of the generator, as a share of one core. */
  readonly cpuShare: number;
}

/** Generates load at scheduled times, in a separate process. */
export class TimedGenerator {
  private constructor(private readonly child: ChildProcess) {}

  static async start(stage: Stage): Promise<TimedGenerator> {
    return new TimedGenerator(await stage.program('stage/timed-load', {}));
  }

  /** Throws if any request failed: a failing program must not count as a slow one. */
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
