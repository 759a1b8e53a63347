import { sleep } from '../clock';
import { MissingIndexError } from './mongo';
import type { Logger } from '../telemetry/logging';

const lookEveryMs = 5_000;

/** Number of indexes that a process waits for. */
export interface MissingIndexes {
  count: number;
}

/**
 * Runs work that ensures indexes, before anything is served. While an index is missing on a large
 * collection, the process is not ready, and looks again periodically.
 */
export async function untilIndexed<T>(
  ensure: () => Promise<T>,
  {
    logger,
    missing = { count: 0 },
    everyMs = lookEveryMs,
  }: { logger: Logger; missing?: MissingIndexes; everyMs?: number },
): Promise<T> {
  for (;;) {
    try {
      const ensured = await ensure();
      missing.count = 0;
      return ensured;
    } catch (error) {
      if (!(error instanceof MissingIndexError)) throw error;
      missing.count = error.indexes.length;
      for (const name of error.indexes) {
        logger.error({ alarm: 'missing_index' }, `missing index ${name}: run npm run indexes`);
      }
    }
    await sleep(everyMs);
  }
}
