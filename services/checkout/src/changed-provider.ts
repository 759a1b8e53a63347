import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';

/** An attempt that waits, because another provider than its own is configured now. */
export interface ProviderChange {
  readonly invoiceId: string;
  readonly environmentId: string;
  /** The adapter that the attempt was begun with. */
  readonly begunWith: string;
  readonly configured: string;
}

const repeatAfterMs = 60_000;

/** Alarms of attempts that wait for their provider: once a minute, however many wait and however often they are taken up. */
export function providerAlarm({
  logger,
  clock,
}: {
  readonly logger: Pick<Logger, 'error'>;
  readonly clock: Clock;
}): (change: ProviderChange) => void {
  let quietUntilMs = 0;
  return (change) => {
    const nowMs = clock.now().getTime();
    if (nowMs < quietUntilMs) return;
    quietUntilMs = nowMs + repeatAfterMs;
    logger.error({ ...change }, 'attempts wait for the payment provider that they were begun with');
  };
}
