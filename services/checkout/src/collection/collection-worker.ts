import type { Stored, Completion } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { Semaphore } from '@billing/chassis/semaphore';
import { DomainError, staleVersion } from '@billing/kernel/domain-error';
import type { AttemptWorker, FinishOptions } from './attempt-worker';
import type { BalanceStore } from '../balance/balance-store';
import {
  checkMarkable,
  checkVoidable,
  collectWhenDue,
  collectWithNewDefault,
  endCollection,
  isVoidedBy,
  isWrittenOffBy,
  markUncollectible,
  openAndCollect,
  opensWithDefault,
  sourceFor,
  voidForCaller,
  wantsNewDefault,
} from '../invoice/collection';
import { noProviderCode } from '../provider/port/decline';
import {
  checkHolder,
  type Invoice,
  type InvoiceRecord,
  paymentInProgress,
  type Tombstone,
  tombstone,
  payableOf,
  totalOf,
  voidInvoice,
} from '../invoice/invoice';
import type { InvoiceNumberStore } from '../invoice/number/invoice-number-store';
import type { PaymentMethodStore } from '../payment-method/store';
import type { PaymentMethodWorker } from '../payment-method/payment-method-worker';
import type { NotCharged } from '../provider/alarms';
import { waitForEffect } from '../provider/wait-for-effect';
import { resumeCollection } from '../invoice/provider-absence';
import { needsSlot } from '../invoice/retry-schedule';

type Context = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

export interface CollectionDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly numbers: InvoiceNumberStore;
  readonly methods: PaymentMethodStore;
  readonly saver: PaymentMethodWorker;
  readonly attempts: AttemptWorker;
  readonly balances: Pick<BalanceStore, 'apply' | 'giveBack'>;
  readonly clock: Clock;
  /** Called for an invoice whose collection waits for a provider. */
  readonly onNotCharged?: ((uncharged: NotCharged) => void) | undefined;
}

// Limit of concurrent background charges; it leaves capacity at the provider for payers.
const chargesMax = 100;

/**
 * Takes invoices through the steps that need more than one write: number then open, claim then
 * charge then record. Each step can be retried, also by several replicas in parallel: numbers and
 * charges are unique by their keys, everything else is a compare-and-set.
 */
export class CollectionWorker {
  private readonly charging = new Semaphore(chargesMax);

  constructor(private readonly dependencies: CollectionDependencies) {}

  /**
   * Opens a DRAFT and makes its first attempt, or resumes an earlier run that stopped in between.
   * `completes` is the command that requests it.
   */
  async open(
    invoiceId: string,
    context: Context,
    completes?: Completion,
  ): Promise<Stored<InvoiceRecord>> {
    const stored = await this.invoices(context).getRecent(invoiceId);
    const { state } = stored;
    if (state.status !== 'DRAFT') return this.finish(stored, context, { completes });
    const { opened, isClaimed } = await this.openDraft(state, context, completes);
    return this.finish(opened, context, { completes, isNew: isClaimed });
  }

  /**
   * Processes a due invoice. An attempt in the slot is finished first; an attempt that waits for
   * its payer is canceled.
   */
  async collectDue(invoiceId: string, context: Context): Promise<void> {
    const stored = await this.invoices(context).get(invoiceId);
    const { state } = stored;
    if (state.isTombstone || state.status !== 'OPEN') return;
    await this.finish(stored, context);
    const claim = await this.dueClaim(state, context);
    if (needsSlot(state, { ...claim, now: context.now })) {
      await this.dependencies.attempts.release(stored, context);
    }
    const claimed = await this.invoices(context).mutate(invoiceId, (record, now) =>
      collectWhenDue(record, { ...claim, now }),
    );
    this.reportIfPostponed(claimed, context);
    await this.finish(claimed, context);
  }

  /**
   * Resumes the collection of an invoice that waited for a provider. A payment to capture is left
   * to the worker that resumes the attempt. Returns false if the invoice still waits, because
   * another attempt runs.
   */
  async resumeWaiting(invoiceId: string, context: Context): Promise<boolean> {
    const { state } = await this.invoices(context).get(invoiceId);
    if (state.isTombstone) return true;
    const claim = await this.dueClaim(state, context);
    const { state: resumed } = await this.invoices(context).mutate(invoiceId, (record, now) =>
      resumeCollection(record, { ...claim, now }),
    );
    return resumed.isTombstone || resumed.awaitsProviderSince === undefined;
  }

  /** Resumes an attempt that any worker claimed and did not finish, once its lease has expired. */
  resume(invoiceId: string, context: Context): Promise<Stored<InvoiceRecord>> {
    return this.charging.run(() => this.dependencies.attempts.resume(invoiceId, context));
  }

  /** Charges all open invoices of a customer to their current default method. */
  async collectOpenInvoices(customerId: string, context: Context): Promise<void> {
    // Drafts first: an invoice that opens at this moment may have read the old default and be OPEN
    // too late for the list.
    const drafts = await this.invoicesOf(customerId, 'DRAFT', context);
    let isBusy = drafts.some(({ state }) => opensWithDefault(state));
    for (const stored of await this.invoicesOf(customerId, 'OPEN', context)) {
      isBusy = (await this.collectWithNewDefault(stored, context)) === 'BUSY' || isBusy;
    }
    // An attempt with the old method was running. The new method is tried once it has ended.
    if (isBusy) throw new DomainError('unavailable', 'PAYMENT_IN_PROGRESS', 'Service unavailable');
  }

  /**
   * Voids an invoice under its derived id, or inserts a tombstone so that a late step cannot create
   * it.
   */
  async voidDerived(
    holder: Omit<Tombstone, 'isTombstone' | 'status'>,
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const invoices = this.invoices(context);
    const { stored } = await invoices.insert(tombstone(holder));
    checkHolder(stored.state, holder);
    const { state } = await this.dependencies.attempts.release(stored, context);
    if (state.isTombstone) return stored;
    // A draft that has taken nothing gets a tombstone under the id of its entry: a late opening
    // takes nothing.
    const opening = await this.openingOf(state, 0n, context);
    return invoices.mutate(holder.id, (record, now) => voidInvoice(record, { ...opening, now }));
  }

  /** Voids an OPEN invoice at a caller's request. */
  async voidForCaller(
    invoiceId: string,
    {
      expectedVersion,
      callId,
    }: { readonly expectedVersion?: number | undefined; readonly callId?: string | undefined },
    context: Context & Pick<CallContext, 'deadline'>,
  ): Promise<Stored<InvoiceRecord>> {
    const invoices = this.invoices(context);
    const stored = await invoices.get(invoiceId);
    const { state, version } = stored;
    if (isVoidedBy(state, callId)) return stored;
    if (expectedVersion !== undefined && expectedVersion !== version) throw staleVersion();
    // Checked before a challenge is canceled; the write checks again.
    checkVoidable(state);
    const released = await this.dependencies.attempts.release(stored, context);
    const expected = expectedVersion === undefined ? undefined : released.version;
    const voided = await invoices.mutate(
      invoiceId,
      (record, now) => voidForCaller(record, now, callId),
      { expectedVersion: expected },
    );
    // For the caller to find the entry right after the call. The void is stored, so a failure is
    // left to its command, which does the same.
    if (state.balanceApplied > 0n) {
      await waitForEffect(this.returnBalance(state, context), context, this.dependencies.clock);
    }
    return voided;
  }

  /** Writes an OPEN invoice off at a caller's request. */
  async markUncollectible(
    invoiceId: string,
    {
      expectedVersion,
      callId,
    }: { readonly expectedVersion?: number | undefined; readonly callId: string | undefined },
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const invoices = this.invoices(context);
    const stored = await invoices.get(invoiceId);
    const { state, version } = stored;
    if (isWrittenOffBy(state, callId)) return stored;
    if (expectedVersion !== undefined && expectedVersion !== version) throw staleVersion();
    // Checked before a challenge is canceled; the write checks again.
    checkMarkable(state);
    if (state.attempt?.status === 'PENDING') throw paymentInProgress();
    const released = await this.dependencies.attempts.release(stored, context);
    const methods = await this.dependencies.methods.choiceFor(state, context);
    const expected = expectedVersion === undefined ? undefined : released.version;
    return invoices.mutate(
      invoiceId,
      (record, now) => markUncollectible(record, { methods, now, callId }),
      { expectedVersion: expected },
    );
  }

  /** Ends automatic collection, because the subscription has ended. */
  async endCollection(
    { invoiceId, subscriptionId }: { readonly invoiceId: string; readonly subscriptionId: string },
    { writeOff }: { readonly writeOff: boolean },
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const invoices = this.invoices(context);
    const stored = await invoices.get(invoiceId);
    checkHolder(stored.state, { subscriptionId });
    const { state } = writeOff ? await this.dependencies.attempts.release(stored, context) : stored;
    const opening = state.isTombstone
      ? noOpening
      : await this.openingOf(state, totalOf(state), context);
    const { retryDays } = this.dependencies.attempts;
    return invoices.mutate(invoiceId, (record, now) =>
      endCollection(record, { writeOff, retryDays, ...opening, now }),
    );
  }

  /** Returns what a voided invoice has taken from its customer's balance. */
  async returnBalance(record: InvoiceRecord, context: Context): Promise<void> {
    if (record.isTombstone || record.balanceRound === undefined) return;
    await this.dependencies.balances.giveBack(record, { round: record.balanceRound }, context);
  }

  private async openDraft(
    draft: Invoice,
    context: Context,
    completes: Completion | undefined,
  ): Promise<{ opened: Stored<InvoiceRecord>; isClaimed: boolean }> {
    const opening = await this.openingOf(draft, totalOf(draft), context);
    const { balanceApplied = 0n } = opening;
    const claim = await this.firstClaim({ ...draft, balanceApplied }, context);
    // A write that loses its race decides again, so the last decision counts.
    let isClaimed = false as boolean;
    const decide = (record: InvoiceRecord, now: Date) => {
      const transition = openAndCollect(record, { ...claim, ...opening, now });
      isClaimed = transition.state !== record;
      return transition;
    };
    const opened = await this.invoices(context).mutate(draft.id, decide, {
      completes,
      isLast: hasNoAttempt,
    });
    this.reportIfPostponed(opened, context);
    return { opened, isClaimed };
  }

  private reportIfPostponed({ state }: Stored<InvoiceRecord>, { tenant }: Context): void {
    if (state.isTombstone || state.awaitsProviderSince === undefined) return;
    this.dependencies.onNotCharged?.({ code: noProviderCode, invoiceId: state.id, tenant });
  }

  // A payment that was authorized while no provider was configured is captured first.
  private dueClaim(invoice: Invoice, context: Context) {
    return invoice.authorizedTransactionId === undefined
      ? this.savedClaim(invoice, context)
      : this.firstClaim(invoice, context);
  }

  // The card of an authorization is saved before the charge, so that a retry has a card. It becomes
  // the subscription's own method immediately, but replaces another default only after it has paid:
  // the customer's other invoices must not be charged to a card that never paid.
  private async firstClaim(draft: Invoice, context: Context) {
    const { authorizedTransactionId } = draft;
    if (authorizedTransactionId === undefined) return this.savedClaim(draft, context);
    const becomesDefault = await this.keepAuthorized(draft, authorizedTransactionId, context);
    const claim = this.dependencies.attempts.claimOf(sourceFor(draft, undefined), draft, context);
    return { ...claim, becomesDefault };
  }

  // Returns true if another method stays the default until this one has paid.
  private async keepAuthorized(
    draft: Invoice,
    authorizedTransactionId: string,
    context: Context,
  ): Promise<boolean> {
    const { saver } = this.dependencies;
    const { customerId, subscriptionId } = draft;
    const authorization = { customerId, authorizedTransactionId, subscriptionId };
    if (payableOf(draft) > 0n) return saver.keepBeforeCapture(authorization, context);
    await saver.keepAuthorized(authorization, context);
    return false;
  }

  // All are read before any is charged: a paid invoice leaves the list, which would shift the
  // others between pages.
  private async invoicesOf(
    customerId: string,
    status: 'DRAFT' | 'OPEN',
    context: Context,
  ): Promise<Stored<InvoiceRecord>[]> {
    const filter = { isTombstone: false, customerId, status };
    return this.invoices(context).listAll(filter);
  }

  // Cancels a challenge in the slot first. If the challenge had already succeeded, its charge is
  // the payment.
  private async collectWithNewDefault(
    listed: Stored<InvoiceRecord>,
    context: Context,
  ): Promise<'BUSY' | 'DONE'> {
    const { state } = listed;
    const claim = await this.defaultClaim(state, context);
    if (!wantsNewDefault(state, claim)) return 'DONE';
    await this.dependencies.attempts.release(listed, context);
    const claimed = await this.invoices(context).mutate(state.id, (record, now) =>
      collectWithNewDefault(record, { ...claim, now }),
    );
    if (wantsNewDefault(claimed.state, claim)) return 'BUSY';
    await this.finish(claimed, context);
    return 'DONE';
  }

  private async finish(
    stored: Stored<InvoiceRecord>,
    context: Context,
    finished: FinishOptions = {},
  ): Promise<Stored<InvoiceRecord>> {
    if (hasNoAttempt(stored.state)) return stored;
    return this.charging.run(() => this.dependencies.attempts.finish(stored, context, finished));
  }

  private async savedClaim(invoice: Invoice, context: Context) {
    const choice = await this.dependencies.methods.choiceFor(invoice, context);
    const source = sourceFor({ authorizedTransactionId: undefined }, choice.methodId);
    return { ...this.dependencies.attempts.claimOf(source, invoice, context), ...choice };
  }

  private async defaultClaim({ customerId }: Pick<Invoice, 'customerId'>, context: Context) {
    const methodId = await this.dependencies.methods.defaultOf(customerId, context);
    const source = sourceFor({ authorizedTransactionId: undefined }, methodId);
    return this.dependencies.attempts.claimOf(source, { customerId }, context);
  }

  // Only a DRAFT needs a number, and takes from the balance as much as its `total`.
  private async openingOf(invoice: Invoice, total: bigint, context: Context) {
    const { id: invoiceId, status, balanceRound: round } = invoice;
    if (status !== 'DRAFT') return noOpening;
    const { environmentId } = context.tenant;
    const [number, balanceApplied] = await Promise.all([
      this.dependencies.numbers.take({
        ...{ environmentId, invoiceId, prefix: invoice.finalization?.invoicePrefix },
      }),
      round === undefined ? undefined : this.takeBalance(invoice, { round, total }, context),
    ]);
    return { number, balanceApplied };
  }

  // The first invoice of a subscription does not take what its creation has reserved if that is
  // more than its total: it takes from the balance in the next round, after the return.
  private async takeBalance(
    invoice: Invoice,
    { round, total }: { readonly round: number; readonly total: bigint },
    context: Context,
  ): Promise<bigint> {
    const { balances } = this.dependencies;
    const isAfterReserved = invoice.billingReason === 'SUBSCRIPTION_CREATE' && round > 1;
    if (isAfterReserved) await balances.giveBack(invoice, { round: round - 1 }, context);
    return balances.apply(invoice, { round, total }, context);
  }

  private invoices(context: Context) {
    return this.dependencies.invoices.within(context);
  }
}

const noOpening = { number: undefined, balanceApplied: undefined };

function hasNoAttempt(record: InvoiceRecord): boolean {
  return record.isTombstone || record.attempt === undefined;
}
