import { isRefusal } from '@billing/kernel/domain-error';
import { withinTime } from '../concurrency/within-time';
import type { StoringGate } from '../grpc/call-context';
import type { Logger } from '../telemetry/logging';

/** How a wait ends that does not reach its effects. All other fields are logged as facts. */
interface UnfinishedWait extends Readonly<Record<string, unknown>> {
  readonly logger: Pick<Logger, 'warn'>;
  readonly message?: string;
  /** Gate of the waiting call: the wait ends once the call has to answer. */
  readonly storing?: StoringGate | undefined;
  /** True: a refusal is the outcome, and is thrown. */
  readonly throwsRefusals?: boolean;
}

/**
 * Result of a wait for the effects of a stored write. After any error of the wait, the result is
 * the state as written: an error response would deny a change that is stored. The work continues in
 * the background, or is resumed as after a crash.
 */
export async function elseAsWritten<T>(
  written: T,
  wait: Promise<T>,
  {
    logger,
    message = 'wait after write failed, returning state as written',
    storing,
    throwsRefusals = false,
    ...facts
  }: UnfinishedWait,
): Promise<T> {
  try {
    return await (storing === undefined ? wait : withinTime(storing.msToWait(), wait));
  } catch (err) {
    if (throwsRefusals && isRefusal(err)) throw err;
    logger.warn({ ...facts, err }, message);
    return written;
  }
}
