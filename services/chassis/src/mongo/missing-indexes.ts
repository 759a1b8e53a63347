import { sleep } from '../clock';
import { MissingIndexError, namingIndexes } from './mongo';
import type { Logger } from '../telemetry/logging';

const lookEveryMs = 5_000;

/** Indexes of a process that starts. */
export interface WantedIndexes {
  /** Number of those that it waits for. */
  missing: number;
  /** All that were ensured so far, as `<collection>.<name>`. */
  readonly names: Set<string>;
  /** Stores the names, for `npm run doctor`. */
  readonly record: (names: readonly string[]) => Promise<void>;
}

/**
 * Runs work that ensures indexes, before anything is served. While an index is missing on a large
 * collection, the process is not ready, and looks again periodically.
 */
export async function untilIndexed<T>(
  ensure: () => Promise<T>,
  {
    logger,
    indexes,
    everyMs = lookEveryMs,
  }: { logger: Logger; indexes: WantedIndexes; everyMs?: number },
): Promise<T> {
  for (;;) {
    try {
      const ensured = await namingIndexes(indexes.names, ensure);
      indexes.missing = 0;
      return ensured;
    } catch (error) {
      if (!(error instanceof MissingIndexError)) throw error;
      indexes.missing = error.indexes.length;
      await indexes.record([...indexes.names]);
      for (const name of error.indexes) {
        logger.error({ alarm: 'missing_index' }, `missing index ${name}: run npm run indexes`);
      }
    }
    await sleep(everyMs);
  }
}
