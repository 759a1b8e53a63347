import { tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import { retryTransient } from '@billing/chassis/mongo';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { sumOf } from '@billing/kernel/money';
import { isHeld } from '../invoice/credit/credit';
import type { InvoiceRecord } from '../invoice/invoice';
import { contradictedPayment } from './late-payment';
import type { ConfiguredProviders } from '../provider/configured-provider';
import type {
  ProviderEvents,
  ProviderReport,
  ReceivedProviderEvent,
  RefundNotice,
} from '../provider/port/provider-events';
import type { ProviderReportStore } from '../provider/report-store';
import type { RefundWorker } from '../refund/refund-worker';
import type { PaymentWorker } from './payment-worker';
import type { SessionListener } from './session-invoice-worker';

export interface ProviderEventDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly payments: PaymentWorker;
  readonly sessions: Pick<SessionListener, 'holdForLatePayment'>;
  readonly refunds: Pick<RefundWorker, 'checkAtProvider' | 'checkDispute'>;
  readonly events: ProviderEvents;
  readonly reports: ProviderReportStore;
  /** Invoice of a provider's payment; undefined if the payment is not ours. */
  readonly chargeOf: ConfiguredProviders['chargeOf'];
  readonly clock: Clock;
}

/**
 * Checks the payment of the event at the provider, or a refund or dispute that the event reports.
 * A result that no caller has asked for is also stored as a report.
 */
export async function receiveProviderEvent(
  event: ReceivedProviderEvent,
  dependencies: ProviderEventDependencies,
): Promise<void> {
  const report = await dependencies.events.readReport(event);
  if (report === undefined) await followPayment(event, dependencies);
  else await keepReport(report, dependencies);
}

async function followPayment(
  event: ReceivedProviderEvent,
  { payments, sessions, events, reports, clock }: ProviderEventDependencies,
): Promise<void> {
  const announced = await events.read(event);
  if (announced === undefined) return;
  const { tenant, invoiceId, succeeded } = announced;
  const context = { tenant, now: clock.now() };
  // The provider's account may serve other installations. A refusal would make the provider resend
  // the event for days.
  const stored = await unlessNotFound(payments.checkAtProvider(invoiceId, context));
  if (stored === undefined || succeeded === undefined) return;
  const failed = contradictedPayment(stored.state, succeeded);
  if (failed === undefined || stored.state.isTombstone) return;
  const { session } = stored.state;
  const holdSession = () =>
    session === undefined
      ? Promise.resolve(true)
      : sessions.holdForLatePayment({ ...session, invoiceId, payment: failed }, context);
  const late = { payment: failed, holdSession };
  if ((await payments.settleLate(stored, late, context)) === 'SETTLED') return;
  // The provider took the money, but no invoice can be settled with it: an operator must look at
  // it.
  const { currency } = stored.state;
  const taken = {
    kind: 'CONTRADICTION',
    amount: failed.amount,
    currency,
    status: 'succeeded',
  } as const;
  const id = `${failed.provider}:${succeeded}:contradiction`;
  const facts = { invoiceId, ...context };
  await reports.add({ id, providerPaymentId: succeeded, ...taken }, facts);
}

async function keepReport(
  report: ProviderReport | RefundNotice,
  { refunds, reports, chargeOf, invoices, clock }: ProviderEventDependencies,
): Promise<void> {
  const charge = await chargeOf(report.providerPaymentId);
  // The provider's account may serve other installations.
  if (charge === undefined) return;
  const { invoiceId: _id, environmentId } = charge;
  const document = await retryTransient(() => invoices.documents.findOne({ _id, environmentId }));
  if (document === null) return;
  const tenant = tenantOf(document);
  const now = clock.now();
  const context = { tenant, now };
  if (report.kind !== 'REFUND_CHANGED' && report.providerDisputeId !== undefined) {
    await refunds.checkDispute(_id, report.providerDisputeId, context);
  } else {
    await refunds.checkAtProvider(_id, report.providerPaymentId, context);
    if (report.kind === 'REFUND_CHANGED') return;
    const { state } = await invoices.within(context).get(_id);
    if (isAskedFor(report, state)) return;
  }
  await reports.add(report, { invoiceId: _id, tenant, now });
}

// A report of a refund has the total that was refunded of its payment, without failed refunds.
function isAskedFor({ amount, providerPaymentId }: ProviderReport, record: InvoiceRecord): boolean {
  if (record.isTombstone) return false;
  const { payments, refunds } = record;
  const payment = payments.find((one) => one.providerPaymentId === providerPaymentId);
  const own = refunds.filter(
    (refund) =>
      refund.paymentId === payment?.id &&
      (refund.creditNoteId !== undefined || refund.isOfOverpayment === true) &&
      isHeld(refund),
  );
  return sumOf(own.map((refund) => refund.amount)) >= amount;
}
