import type { Logger } from '../telemetry/logging';

/**
 * Result of a wait for the effects of a stored write. After any error of the wait, the result is
 * the state as written: an error response would deny a change that is stored. `facts` are logged.
 */
export async function elseAsWritten<T>(
  written: T,
  wait: Promise<T>,
  {
    logger,
    ...facts
  }: { readonly logger: Pick<Logger, 'warn'> } & Readonly<Record<string, unknown>>,
): Promise<T> {
  try {
    return await wait;
  } catch (err) {
    logger.warn({ ...facts, err }, 'wait after write failed, returning state as written');
    return written;
  }
}
