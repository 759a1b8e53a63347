import { type AggregateDocument, tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { retryTransient } from '@billing/chassis/mongo';
import type { StepCounts } from '@billing/chassis/recovery';
import { inPages } from '@billing/chassis/visit-all';
import type { Dispute } from '../invoice/credit/credit';
import type { InvoiceRecord } from '../invoice/invoice';
import type { ConfiguredProviders } from '../provider/configured-provider';
import type { ListedDispute } from '../provider/port/provider-charge';
import type { ProviderReportStore } from '../provider/report-store';
import type { RefundWorker } from '../refund/refund-worker';

type Context = Pick<CallContext, 'tenant' | 'now'>;

export interface ReturnDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly refunds: Pick<RefundWorker, 'checkAtProvider' | 'checkDispute'>;
  readonly reports: Pick<ProviderReportStore, 'add'>;
  readonly charges: ConfiguredProviders['charges'];
  readonly chargeOf: ConfiguredProviders['chargeOf'];
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Records refunds and disputes that the provider knows and the restored database does not. */
export class ReturnReassertion {
  constructor(private readonly dependencies: ReturnDependencies) {}

  /** Compares what has happened since a real time, and the disputes that are open. */
  async check(since: Date): Promise<StepCounts> {
    const { charges } = this.dependencies;
    const refunds = await this.checkEach('refunds', charges.refundedSince(since), (id) =>
      this.checkRefunds(id),
    );
    const disputes = await this.checkEach('disputes', this.disputesSince(since), (dispute) =>
      this.checkDispute(dispute),
    );
    return {
      refunded: refunds.checked,
      ...(refunds.left > 0 && { refundsLeft: refunds.left }),
      disputed: disputes.checked,
      ...(disputes.left > 0 && { disputesLeft: disputes.left }),
    };
  }

  // One that cannot be compared does not hold up the others.
  private async checkEach<T extends string | ListedDispute>(
    kind: 'refunds' | 'disputes',
    listed: AsyncIterable<T>,
    compare: (one: T) => Promise<void>,
  ): Promise<{ checked: number; left: number }> {
    const seen = new Set<string>();
    let left = 0;
    for await (const one of listed) {
      const key = JSON.stringify(one);
      if (seen.has(key)) continue;
      seen.add(key);
      try {
        await compare(one);
      } catch (error) {
        left += 1;
        this.dependencies.logger.warn({ err: error, kind, compared: one }, 'not compared');
      }
    }
    return { checked: seen.size, left };
  }

  /** Disputes that were opened since a time, and those that the database has as open. */
  private async *disputesSince(since: Date): AsyncGenerator<ListedDispute> {
    const { charges, invoices } = this.dependencies;
    yield* charges.disputedSince(since);
    const found = inPages(invoices.documents, { 'disputes.status': 'OPEN' });
    for await (const document of found) {
      // Those of sandboxes are in the same database.
      if (!tenantOf(document).live) continue;
      const record = invoices.definition.fromDocument(document);
      if (record.isTombstone) continue;
      for (const { paymentId, providerDisputeId, status } of record.disputes) {
        const payment = record.payments.find(({ id }) => id === paymentId);
        const providerPaymentId = payment?.providerPaymentId;
        if (status === 'OPEN' && providerPaymentId !== undefined) {
          yield { providerDisputeId, providerPaymentId };
        }
      }
    }
  }

  private async checkRefunds(providerPaymentId: string): Promise<void> {
    const document = await this.findInvoice(providerPaymentId);
    if (document === undefined) return;
    const context = this.contextOf(document);
    await this.dependencies.refunds.checkAtProvider(document._id, providerPaymentId, context);
  }

  /** Also reports a dispute that has changed: its event may not be sent again. */
  private async checkDispute({ providerPaymentId, ...one }: ListedDispute): Promise<void> {
    const { refunds, reports } = this.dependencies;
    const document = await this.findInvoice(providerPaymentId);
    if (document === undefined) return;
    const { _id: invoiceId } = document;
    const context = this.contextOf(document);
    const { providerDisputeId } = one;
    const before = await this.readDispute(invoiceId, providerDisputeId, context);
    await refunds.checkDispute(invoiceId, providerDisputeId, context);
    const after = await this.readDispute(invoiceId, providerDisputeId, context);
    if (after === undefined || after.status === before?.status) return;
    const { provider, amount, currency, status } = after;
    const id = `${provider}:${providerDisputeId}:${status}`;
    const facts = { id, providerPaymentId, amount, currency, status };
    await reports.add({ kind: 'DISPUTE', ...facts }, { invoiceId, ...context });
  }

  private async readDispute(
    invoiceId: string,
    providerDisputeId: string,
    context: Context,
  ): Promise<(Dispute & { readonly currency: string }) | undefined> {
    const { state } = await this.dependencies.invoices.within(context).get(invoiceId);
    if (state.isTombstone) return undefined;
    const found = state.disputes.find((one) => one.providerDisputeId === providerDisputeId);
    return found && { ...found, currency: state.currency };
  }

  /** Undefined if the payment is not ours, or its invoice is lost. */
  private async findInvoice(providerPaymentId: string): Promise<AggregateDocument | undefined> {
    const { chargeOf, invoices } = this.dependencies;
    const charge = await chargeOf(providerPaymentId);
    if (charge === undefined) return undefined;
    const { invoiceId: _id, environmentId } = charge;
    const found = await retryTransient(() => invoices.documents.findOne({ _id, environmentId }));
    return found ?? undefined;
  }

  // Live environments, the only ones with a provider, have no manual clock.
  private contextOf(document: AggregateDocument): Context {
    return { tenant: tenantOf(document), now: this.dependencies.clock.now() };
  }
}
