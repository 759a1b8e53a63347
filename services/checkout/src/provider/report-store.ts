import type { Collection, Db } from 'mongodb';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import type { ProviderReport } from './port/provider-events';

interface ReportDocument extends Omit<ProviderReport, 'id' | 'amount'> {
  /** Id of the provider's event, so that a resent event is stored once. */
  readonly _id: string;
  readonly environmentId: string;
  readonly invoiceId: string;
  readonly amount: number | bigint;
  /** Real time. */
  readonly receivedAt: Date;
}

/** A report as listed. */
export type StoredReport = ProviderReport & { readonly receivedAt: Date };

/** Limit of listed reports per invoice. */
const listedMax = 100;

/**
 * Providers' reports about our payments, only inserted. Each raises an alarm, because our books do
 * not follow it.
 */
export class ProviderReportStore {
  private readonly documents: Collection<ReportDocument>;

  constructor(
    db: Db,
    private readonly dependencies: {
      readonly logger: Pick<Logger, 'error'>;
      readonly metrics: Pick<Metrics, 'recordProviderReport'>;
    },
  ) {
    this.documents = db.collection<ReportDocument>('providerReports');
  }

  ensureIndexes(): Promise<void> {
    return ensureIndexes(this.documents, [
      { name: 'invoice', key: { environmentId: 1, invoiceId: 1, receivedAt: 1 } },
    ]);
  }

  /**
   * Stores a report. The alarm is raised first, so that a crash in between does not lose it: the
   * provider resends the event. A report that is already stored raises no further alarm.
   */
  async add(
    { id, providerDisputeId: _followed, ...report }: ProviderReport,
    { invoiceId, tenant, now }: { invoiceId: string; tenant: Tenant; now: Date },
  ): Promise<void> {
    const { environmentId, live } = tenant;
    if ((await retryTransient(() => this.documents.findOne({ _id: id }))) !== null) return;
    const { kind, providerPaymentId, status } = report;
    this.dependencies.metrics.recordProviderReport({ kind, live });
    const facts = { alarm: 'provider_report', kind, environmentId, invoiceId };
    this.dependencies.logger.error(
      { ...facts, providerPaymentId, status },
      'payment provider reported a refund, dispute or unexpected payment',
    );
    const document = { _id: id, environmentId, invoiceId, ...report, receivedAt: now };
    try {
      await retryTransient(() => this.documents.insertOne(document));
    } catch (error) {
      // The same report arrived concurrently.
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
  }

  /** Reports of an invoice, oldest first. */
  async listOf(
    invoiceId: string,
    { tenant: { environmentId } }: Pick<CallContext, 'tenant'>,
  ): Promise<StoredReport[]> {
    const found = await retryTransient(() =>
      this.documents
        .find({ environmentId, invoiceId })
        .sort({ receivedAt: 1 })
        .limit(listedMax)
        .toArray(),
    );
    return found.map(
      ({ _id: id, amount, kind, providerPaymentId, currency, status, receivedAt }) => ({
        ...{ id, kind, providerPaymentId, currency, status, receivedAt },
        amount: BigInt(amount),
      }),
    );
  }
}
