import type { Served } from '@billing/chassis/peer';
import { monotonicMs } from '@billing/chassis/clock';

const knownMs = 1_000;

/**
 * Knows which callers the system serves. Asks it at most once a second for paths that no service
 * takes part in, and lets them wait for the answer only before the first one and while the system
 * recovers from a restore.
 */
export class ServedWatch {
  private known: Served | undefined;
  private asked: { readonly answer: Promise<Served>; readonly sinceMs: number } | undefined;

  constructor(private readonly ask: () => Promise<Served>) {}

  /** Asks the system now. */
  look(): Promise<Served> {
    const answer = this.ask();
    const asked = { answer, sinceMs: monotonicMs() };
    this.asked = asked;
    return answer.then((served) => {
      // An earlier question may be answered later.
      if (this.asked === asked) this.known = served;
      return served;
    });
  }

  /** The last known answer. */
  recent(): Promise<Served> {
    const { asked, known } = this;
    const isOld = asked === undefined || monotonicMs() - asked.sinceMs >= knownMs;
    const answer = isOld ? this.look() : asked.answer;
    if (known === undefined || known === 'services') return answer;
    answer.catch(() => undefined);
    return Promise.resolve(known);
  }
}
