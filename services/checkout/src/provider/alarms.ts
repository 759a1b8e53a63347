import type { Clock } from '@billing/chassis/clock';
import type { Tenant } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import type { AttributeValue, Metrics } from '@billing/chassis/metrics';
import { noProviderCode } from './port/decline';

/** An attempt that waits because another provider than its own is configured now. */
export interface ProviderChange {
  readonly invoiceId: string;
  readonly environmentId: string;
  /** Adapter that began the attempt. */
  readonly startedWith: string;
  readonly configured: string;
}

const alarmIntervalMs = 60_000;

/**
 * Raises the alarm of attempts that wait for their provider: once a minute, however many wait and
 * however often they are resumed.
 */
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
    quietUntilMs = nowMs + alarmIntervalMs;
    logger.error({ ...change }, 'payment attempts wait for their original payment provider');
  };
}

/** An invoice that was not charged for a reason that is not its customer's fault. */
export interface NotCharged {
  /** `amount_not_supported` or `no_payment_provider`. */
  readonly code: string;
  readonly invoiceId: string;
  readonly tenant: Tenant;
}

/**
 * Raises the alarm of invoices that are not charged. Without a provider every live invoice is
 * affected, so the log entry is limited to one a minute; the metric counts each invoice.
 */
export function notChargedAlarm({
  logger,
  clock,
  metrics,
}: {
  readonly logger: Pick<Logger, 'error' | 'warn'>;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'recordNotCharged'>;
}): (uncharged: NotCharged) => void {
  let quietUntilMs = 0;
  return ({ code, invoiceId, tenant: { environmentId, live } }) => {
    metrics.recordNotCharged({ reason: reasonOf(code), live });
    const facts = { alarm: code, environmentId, invoiceId };
    if (code !== noProviderCode) {
      // In a sandbox a test requested the failure.
      const level = live ? 'error' : 'warn';
      logger[level](facts, 'invoice amount not supported by the payment provider');
      return;
    }
    const nowMs = clock.now().getTime();
    if (nowMs < quietUntilMs) return;
    quietUntilMs = nowMs + alarmIntervalMs;
    logger.error(facts, 'payment provider not configured, live invoices not charged');
  };
}

function reasonOf(code: string): AttributeValue<'billing.not_charged.reason'> {
  return code === noProviderCode ? 'NO_PAYMENT_PROVIDER' : 'AMOUNT_NOT_SUPPORTED';
}
