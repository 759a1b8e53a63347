import { type AggregateDocument, tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { retryTransient } from '@billing/chassis/mongo';
import type { RecoveryContext, StepCounts } from '@billing/chassis/recovery';
import type { AttemptWorker } from '../collection/attempt-worker';
import type { InvoiceRecord } from '../invoice/invoice';
import type { ConfiguredProviders } from '../provider/configured-provider';
import type { ProviderCharge } from '../provider/port/provider-charge';
import type { RefundWorker } from '../refund/refund-worker';
import { adoptCharge, isRecorded, mismatchOf } from './adopt-charge';
import type { UnmatchedCharge, UnmatchedChargeStore } from './unmatched-charge-store';

type Context = Pick<CallContext, 'tenant' | 'now'>;

export interface ChargeDependencies {
  readonly unmatched: UnmatchedChargeStore;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly attempts: Pick<AttemptWorker, 'finish'>;
  readonly refunds: Pick<RefundWorker, 'checkAtProvider'>;
  readonly charges: ConfiguredProviders['charges'];
  readonly chargeOf: ConfiguredProviders['chargeOf'];
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Records what the payment provider knows and the restored database does not: outcomes of attempts,
 * successful charges and refunds. Makes no charge and no refund.
 */
export class ChargeReassertion {
  constructor(private readonly dependencies: ChargeDependencies) {}

  /** Records charges on the invoices that exist, and the refunds of payments. */
  async record({ since }: RecoveryContext): Promise<StepCounts> {
    const charges = await this.listAll(since);
    let recorded = 0;
    for (const charge of charges) if ((await this.recordOn(charge)) === 'NEWLY') recorded += 1;
    const attempts = await this.finishAttempts();
    const refunded = await this.checkRefunds(since);
    return { charges: charges.length, recorded, ...attempts, refunded };
  }

  /**
   * Lists the charges that no invoice has recorded, once the invoices of what is due are made
   * again.
   */
  async match({ restore, since }: RecoveryContext): Promise<StepCounts> {
    const { id: restoreId } = restore;
    const found: UnmatchedCharge[] = [];
    const charges = await this.listAll(since);
    for (const charge of charges) {
      if ((await this.recordOn(charge)) !== 'NOT') continue;
      found.push(await this.describe(charge, restoreId));
    }
    await this.checkRefunds(since);
    await this.dependencies.unmatched.replaceAll(restoreId, found);
    return { charges: charges.length, unmatched: found.length };
  }

  // The oldest first, because the attempts of an invoice are numbered.
  private async listAll(since: Date): Promise<ProviderCharge[]> {
    const ours = new Map<string, boolean>();
    const found: ProviderCharge[] = [];
    const { charges, unmatched } = this.dependencies;
    for await (const charge of charges.adoptSince(since)) {
      const { environmentId, isSuccessful } = charge;
      const isOurs = ours.get(environmentId) ?? (await unmatched.isKnown(environmentId));
      ours.set(environmentId, isOurs);
      if (isOurs && isSuccessful) found.push(charge);
    }
    return found.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  private async recordOn(charge: ProviderCharge): Promise<'BEFORE' | 'NEWLY' | 'NOT'> {
    const { invoiceId, environmentId, providerPaymentId } = charge;
    const document = await this.findInvoice(invoiceId, environmentId);
    if (document === undefined) return 'NOT';
    const { invoices, attempts, clock } = this.dependencies;
    const context = this.contextOf(tenantOf(document));
    const before = await invoices.within(context).get(invoiceId);
    if (isRecorded(before.state, providerPaymentId)) return 'BEFORE';
    const claimedAt = clock.now();
    const claimed = await invoices
      .within(context)
      .mutate(invoiceId, (record, now) => adoptCharge(record, { charge, now, claimedAt }));
    const { state } = await attempts.finish(claimed, context);
    return isRecorded(state, providerPaymentId) ? 'NEWLY' : 'NOT';
  }

  /** Asks for the outcomes of all attempts that the database has. */
  private async finishAttempts(): Promise<StepCounts> {
    const { invoices, attempts, logger } = this.dependencies;
    let attemptsLeft = 0;
    const running = { recoverAt: { $gt: new Date(0) } };
    const found = await retryTransient(() => invoices.documents.find(running).toArray());
    for (const document of found) {
      const context = this.contextOf(tenantOf(document));
      const stored = await invoices.within(context).get(document._id);
      try {
        await attempts.finish(stored, context);
      } catch (error) {
        // Resumed after the opening, like every attempt whose outcome is not known.
        attemptsLeft += 1;
        logger.warn({ err: error, invoiceId: document._id }, 'charge outcome unknown');
      }
    }
    return { attempts: found.length, ...(attemptsLeft > 0 && { attemptsLeft }) };
  }

  private async checkRefunds(since: Date): Promise<number> {
    const { charges, chargeOf, refunds } = this.dependencies;
    const seen = new Set<string>();
    for await (const providerPaymentId of charges.refundedSince(since)) {
      if (seen.has(providerPaymentId)) continue;
      seen.add(providerPaymentId);
      const charge = await chargeOf(providerPaymentId);
      const document = charge && (await this.findInvoice(charge.invoiceId, charge.environmentId));
      if (document === undefined) continue;
      const context = this.contextOf(tenantOf(document));
      await refunds.checkAtProvider(document._id, providerPaymentId, context);
    }
    return seen.size;
  }

  private async describe(charge: ProviderCharge, restoreId: string): Promise<UnmatchedCharge> {
    const { provider, providerPaymentId, environmentId, invoiceId } = charge;
    const { amount, currency, createdAt, metadata } = charge;
    const document = await this.findInvoice(invoiceId, environmentId);
    const record = document && this.dependencies.invoices.definition.fromDocument(document);
    const mismatch = mismatchOf(record, charge);
    const facts = { provider, providerPaymentId, amount, currency, createdAt, metadata };
    return {
      ...{ _id: `${provider}:${providerPaymentId}`, restoreId, environmentId, ...facts },
      ...(mismatch !== 'NO_INVOICE' && { finding: findings[mismatch] }),
    };
  }

  private async findInvoice(
    _id: string,
    environmentId: string,
  ): Promise<AggregateDocument | undefined> {
    const { documents } = this.dependencies.invoices;
    const found = await retryTransient(() => documents.findOne({ _id, environmentId }));
    return found ?? undefined;
  }

  private contextOf(tenant: Tenant): Context {
    return { tenant, now: this.dependencies.clock.now() };
  }
}

const findings = {
  NOT_OWED: 'The invoice is not owed',
  OTHER_AMOUNT: 'The invoice owes another amount',
} as const;
