import { type AggregateDocument, tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { retryTransient } from '@billing/chassis/mongo';
import type { RecoveryContext, StepCounts } from '@billing/chassis/recovery';
import type { AttemptWorker } from '../collection/attempt-worker';
import type { InvoiceRecord } from '../invoice/invoice';
import type { ConfiguredProviders } from '../provider/configured-provider';
import type { ProviderCharge } from '../provider/port/provider-charge';
import { adoptCharge, isRecorded, mismatchOf } from './adopt-charge';
import type { ReturnReassertion } from './reassert-returns';
import type { UnmatchedCharge, UnmatchedChargeStore } from './unmatched-charge-store';

type Context = Pick<CallContext, 'tenant' | 'now'>;
type Recorded = 'BEFORE' | 'NEWLY' | 'NOT';

interface ListedCharge {
  readonly charge: ProviderCharge;
  /** True if a charge with its key finds it. */
  readonly isAdopted: boolean | 'FAULTY';
}

export interface ChargeDependencies {
  readonly unmatched: UnmatchedChargeStore;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly attempts: Pick<AttemptWorker, 'finish'>;
  readonly returns: Pick<ReturnReassertion, 'check'>;
  readonly charges: ConfiguredProviders['charges'];
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Records what the payment provider knows and the restored database does not: outcomes of attempts,
 * successful charges, refunds and disputes. Makes no charge and no refund.
 */
export class ChargeReassertion {
  constructor(private readonly dependencies: ChargeDependencies) {}

  /** Records charges on the invoices that exist, and the refunds and disputes of payments. */
  async record({ since }: RecoveryContext): Promise<StepCounts> {
    const listed = await this.listAll(since);
    let recorded = 0;
    for (const one of listed) if ((await this.recordListed(one)) === 'NEWLY') recorded += 1;
    const attempts = await this.finishAttempts();
    return {
      charges: listed.length,
      recorded,
      ...attempts,
      ...(await this.dependencies.returns.check(since)),
    };
  }

  /**
   * Lists the charges that no invoice has recorded, once the invoices of what is due are made
   * again.
   */
  async match({ restore, since }: RecoveryContext): Promise<StepCounts> {
    const { id: restoreId } = restore;
    const found: UnmatchedCharge[] = [];
    const listed = await this.listAll(since);
    for (const one of listed) {
      const outcome = await this.recordListed(one);
      if (outcome === 'FAULTY') found.push({ ...factsOf(one.charge, restoreId), finding: faulty });
      if (outcome === 'NOT') found.push(await this.describe(one.charge, restoreId));
    }
    const { returns, unmatched } = this.dependencies;
    const returned = await returns.check(since);
    await unmatched.replaceAll(restoreId, found);
    return { charges: listed.length, unmatched: found.length, ...returned };
  }

  // The oldest first, because the attempts of an invoice are numbered. Nothing is recorded for an
  // environment that checkout does not know: it may be another installation's, or have its first
  // charge after the instant.
  private async listAll(since: Date): Promise<ListedCharge[]> {
    const ours = new Map<string, boolean>();
    const found: ListedCharge[] = [];
    const { charges, unmatched } = this.dependencies;
    for await (const charge of charges.listSince(since)) {
      const { environmentId, isSuccessful } = charge;
      const isOurs = ours.get(environmentId) ?? (await unmatched.isKnown(environmentId));
      ours.set(environmentId, isOurs);
      const isAdopted = isOurs && (await this.unlessFaulty(charge, () => charge.adopt()));
      if (isSuccessful || isAdopted === 'FAULTY') found.push({ charge, isAdopted });
    }
    return found.sort((a, b) => a.charge.createdAt.getTime() - b.charge.createdAt.getTime());
  }

  private async recordListed({ charge, isAdopted }: ListedCharge): Promise<Recorded | 'FAULTY'> {
    if (isAdopted === 'FAULTY') return isAdopted;
    return this.unlessFaulty(charge, () => this.recordOn(charge, isAdopted));
  }

  // One charge that cannot be recorded does not hold up the others; `match` lists it.
  private async unlessFaulty<T>(
    { invoiceId, providerPaymentId }: ProviderCharge,
    work: () => Promise<T>,
  ): Promise<T | 'FAULTY'> {
    try {
      return await work();
    } catch (error) {
      const { logger } = this.dependencies;
      logger.warn({ err: error, invoiceId, providerPaymentId }, 'charge not compared');
      return 'FAULTY';
    }
  }

  private async recordOn(charge: ProviderCharge, isAdopted: boolean): Promise<Recorded> {
    const { invoiceId, environmentId, providerPaymentId } = charge;
    const document = await this.findInvoice(invoiceId, environmentId);
    if (document === undefined) return 'NOT';
    const { invoices, attempts, clock } = this.dependencies;
    const context = this.contextOf(document, charge);
    const before = await invoices.within(context).get(invoiceId);
    if (isRecorded(before.state, providerPaymentId)) return 'BEFORE';
    // The key would find another charge.
    if (!isAdopted) return 'NOT';
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
      const context = this.contextOf(document);
      try {
        const stored = await invoices.within(context).get(document._id);
        await attempts.finish(stored, context);
      } catch (error) {
        // Resumed after the opening, like every attempt whose outcome is not known.
        attemptsLeft += 1;
        logger.warn({ err: error, invoiceId: document._id }, 'charge outcome unknown');
      }
    }
    return { attempts: found.length, ...(attemptsLeft > 0 && { attemptsLeft }) };
  }

  private async describe(charge: ProviderCharge, restoreId: string): Promise<UnmatchedCharge> {
    const { environmentId, invoiceId } = charge;
    const document = await this.findInvoice(invoiceId, environmentId);
    const record = document && this.dependencies.invoices.definition.fromDocument(document);
    const mismatch = mismatchOf(record, charge);
    const facts = factsOf(charge, restoreId);
    return mismatch === 'NO_INVOICE' ? facts : { ...facts, finding: findings[mismatch] };
  }

  private async findInvoice(
    _id: string,
    environmentId: string,
  ): Promise<AggregateDocument | undefined> {
    const { documents } = this.dependencies.invoices;
    const found = await retryTransient(() => documents.findOne({ _id, environmentId }));
    return found ?? undefined;
  }

  /**
   * With a manual clock, which checkout does not know, at the time of the invoice's last write. A
   * charge pays at the time when the provider began it: a session's invoice has its first period
   * from then.
   */
  private contextOf(document: AggregateDocument, charge?: ProviderCharge): Context {
    const tenant = tenantOf(document);
    if (tenant.manualClock) return { tenant, now: document.updatedAt };
    const now = this.dependencies.clock.now();
    // The provider's clock may be ahead.
    const isEarlier = charge !== undefined && charge.createdAt < now;
    return { tenant, now: isEarlier ? charge.createdAt : now };
  }
}

function factsOf(charge: ProviderCharge, restoreId: string): UnmatchedCharge {
  const { provider, providerPaymentId, environmentId } = charge;
  const { amount, currency, createdAt, metadata } = charge;
  const facts = { provider, providerPaymentId, amount, currency, createdAt, metadata };
  return { _id: `${provider}:${providerPaymentId}`, restoreId, environmentId, ...facts };
}

const findings = {
  NOT_OWED: 'The invoice is not owed',
  OTHER_AMOUNT: 'The invoice owes another amount',
  NOT_RECORDED: 'The invoice has another charge in its place',
} as const;
const faulty = 'The charge could not be compared with its invoice; the log of checkout says why';
