import type { Clock } from '../clock';
import { deleteInBatches } from '../mongo/old-documents';
import type { PeriodicWork } from './periodic-work';

/** Documents that are deleted after a number of days of real time. */
export interface Retention {
  readonly name: string;
  readonly days: number;
  /** Deletes some of what is older than a time; returns true if there may be more. */
  readonly deleteBatch: (before: Date) => Promise<boolean>;
}

// Also the time until another replica continues.
const everyMs = 10 * 60_000;
const dayMs = 24 * 60 * 60_000;

/** Returns the periodic work that deletes old documents, in batches. */
export function retentionWork({ name, days, deleteBatch }: Retention, clock: Clock): PeriodicWork {
  return {
    name,
    everyMs,
    run: (signal) => {
      const before = new Date(clock.now().getTime() - days * dayMs);
      return deleteInBatches(() => deleteBatch(before), signal);
    },
    // A deletion frees space.
    writes: 'deletions',
    onOneReplica: true,
  };
}
