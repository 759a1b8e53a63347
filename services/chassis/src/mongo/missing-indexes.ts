import { sleep } from '../clock';
import { MissingIndexError } from './mongo';
import type { Logger } from '../telemetry/logging';

const lookEveryMs = 5_000;

/**
 * Runs work that ensures indexes, before anything is served. While an index is missing on a large
 * collection, the process is not ready, and looks again periodically.
 */
export async function untilIndexed<T>(
  ensure: () => Promise<T>,
  { logger, everyMs = lookEveryMs }: { logger: Logger; everyMs?: number },
): Promise<T> {
  for (;;) {
    try {
      return await ensure();
    } catch (error) {
      if (!(error instanceof MissingIndexError)) throw error;
      for (const name of error.indexes) {
        logger.error({ alarm: 'missing_index' }, `missing index ${name}: run npm run indexes`);
      }
    }
    await sleep(everyMs);
  }
}
