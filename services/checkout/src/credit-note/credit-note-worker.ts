import type { Completion, Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, waitAtMost } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { atBoundary } from '@billing/chassis/failpoint';
import { derivedId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { BalanceStore } from '../balance/balance-store';
import type { AttemptWorker } from '../collection/attempt-worker';
import type { Refund } from '../invoice/credit/credit';
import { type InvoiceRecord, paymentInProgress } from '../invoice/invoice';
import type { InvoiceNumberStore } from '../invoice/number/invoice-number-store';
import type { PaymentMethodStore } from '../payment-method/store';
import { type RefundWorker, refundWaitMsMax } from '../refund/refund-worker';
import {
  type ChangeCredit,
  creditUndelivered,
  findNote,
  issueChangeCredit,
  issueCreditNote,
  type IssueFacts,
  type NewCreditNote,
  numberCreditNote,
} from './issue-credit-note';
import type { IsCustomerDeleted } from '../peer/customer';

type Context = Pick<CallContext, 'tenant' | 'now'>;

export interface CreditNoteDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly methods: Pick<PaymentMethodStore, 'choiceFor'>;
  readonly numbers: InvoiceNumberStore;
  readonly balances: Pick<BalanceStore, 'creditNote'>;
  readonly attempts: Pick<AttemptWorker, 'release'>;
  readonly refunds: RefundWorker;
  readonly isCustomerDeleted: IsCustomerDeleted;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Issues credit notes. The write on the invoice decides; its command then takes the number and
 * posts to the balance, and refunds are sent.
 */
export class CreditNoteWorker {
  constructor(private readonly dependencies: CreditNoteDependencies) {}

  /**
   * Issues a credit note. A challenge that waits for its payer is canceled first; if it had already
   * succeeded, its charge counts. A retried call finds its own note.
   */
  issue(invoiceId: string, note: NewCreditNote, context: CallContext) {
    return this.decide(invoiceId, note.id, {
      decide: (record, facts) => issueCreditNote(record, note, facts),
      isForBalance: note.settle === 'BALANCE',
      context,
    });
  }

  /** Issues the credit note of a plan change. */
  issueForChange(invoiceId: string, credit: ChangeCredit, context: CallContext) {
    return this.decide(invoiceId, credit.id, {
      decide: (record, facts) => issueChangeCredit(record, credit, facts),
      isForBalance: false,
      context,
    });
  }

  /**
   * Credits all that is left of an invoice to the balance, if it was paid although its session had
   * ended or had another invoice. A deleted customer gets it refunded: no caller could be refused.
   */
  async creditUndelivered(
    { id: invoiceId, customerId }: Pick<InvoiceRecord, 'id' | 'customerId'>,
    context: CallContext,
  ): Promise<void> {
    const { invoices, isCustomerDeleted, clock } = this.dependencies;
    const { environmentId } = context.tenant;
    const id = derivedId(environmentId, 'creditNote', invoiceId, 'undelivered');
    const facts = {
      isCustomerDeleted: await isCustomerDeleted(customerId, context),
      realNow: clock.now(),
      refundIdOf: (index: number) => derivedId(environmentId, 'refund', id, index),
    };
    await atBoundary('creditNote', 'decide', () =>
      invoices
        .within(context)
        .mutate(invoiceId, (record, now) => creditUndelivered(record, id, { ...facts, now })),
    );
  }

  /**
   * Numbers a credit note and posts what it gives to the balance. The number is stored last: a
   * numbered note is in its list, and in the balance.
   */
  async complete(
    { invoiceId, creditNoteId }: { readonly invoiceId: string; readonly creditNoteId: string },
    context: Context,
    completes?: Completion,
  ): Promise<void> {
    const { invoices, numbers, balances, refunds } = this.dependencies;
    const stored = await invoices.within(context).getRecent(invoiceId);
    const { state } = stored;
    const note = state.isTombstone ? undefined : findNote(state, creditNoteId);
    if (state.isTombstone || note === undefined) {
      throw new Error(`Invoice ${invoiceId} has no credit note ${creditNoteId}`);
    }
    if (note.number !== undefined) return;
    const { environmentId } = context.tenant;
    const { toBalance: amount } = note;
    const [number] = await Promise.all([
      atBoundary('creditNote', 'number', () =>
        numbers.take({ environmentId, invoiceId: creditNoteId, prefix: 'CN-' }),
      ),
      atBoundary('creditNote', 'rows', () => refunds.copyRows(stored)),
      amount === 0n ? undefined : balances.creditNote(state, { creditNoteId, amount }, context),
    ]);
    await atBoundary('creditNote', 'complete', () =>
      invoices
        .within(context)
        .mutate(invoiceId, (record) => numberCreditNote(record, { creditNoteId, number }), {
          completes,
        }),
    );
  }

  private async decide(
    invoiceId: string,
    creditNoteId: string,
    {
      decide,
      isForBalance,
      context,
    }: {
      readonly decide: (
        record: InvoiceRecord,
        facts: IssueFacts,
      ) => ReturnType<typeof issueCreditNote>;
      /** True if the balance of a deleted customer is refused. */
      readonly isForBalance: boolean;
      readonly context: CallContext;
    },
  ): Promise<Stored<InvoiceRecord>> {
    const { methods, clock, refunds, isCustomerDeleted } = this.dependencies;
    const invoices = this.dependencies.invoices.within(context);
    const { environmentId } = context.tenant;
    const stored = await invoices.get(invoiceId);
    const { state } = stored;
    const facts = {
      methods: await methods.choiceFor(state, context),
      isCustomerDeleted: isForBalance && (await isCustomerDeleted(state.customerId, context)),
      realNow: clock.now(),
      refundIdOf: (index: number) => derivedId(environmentId, 'refund', creditNoteId, index),
    };
    if (!hasNote(stored, creditNoteId)) {
      await this.freeSlot(stored, context, (record) =>
        decide(record, { ...facts, now: context.now }),
      );
    }
    const issued = await atBoundary('creditNote', 'decide', () =>
      invoices.mutate(invoiceId, (record, now) => decide(record, { ...facts, now })),
    );
    const until = waitAtMost(refundWaitMsMax, context, facts.realNow);
    const numbered = await this.untilNumbered(issued, creditNoteId, { until, context });
    if (!isNumbered(numbered, creditNoteId)) return numbered;
    const isNew = ({ creditNoteId: of, claimedAt }: Refund) =>
      of === creditNoteId && claimedAt !== undefined;
    return refunds.sendNew(numbered, { isNew, until }, context);
  }

  // Refuses what would be refused anyway before a challenge is canceled; the write decides again. A
  // challenge that has succeeded by then changes no refusal: what it paid can be refunded.
  private async freeSlot(
    stored: Stored<InvoiceRecord>,
    context: Context,
    check: (record: InvoiceRecord) => unknown,
  ): Promise<void> {
    const { state } = stored;
    if (!state.isTombstone && state.attempt !== undefined) {
      check({ ...state, attempt: undefined });
      if (state.attempt.status === 'PENDING') throw paymentInProgress();
    }
    await this.dependencies.attempts.release(stored, context);
  }

  // The command numbers the note, in this or another replica. Its refunds are sent afterwards, so
  // that they are announced after the note.
  private untilNumbered(
    issued: Stored<InvoiceRecord>,
    creditNoteId: string,
    { until, context }: { readonly until: Date; readonly context: CallContext },
  ): Promise<Stored<InvoiceRecord>> {
    const { invoices, logger } = this.dependencies;
    const isReached = (stored: Stored<InvoiceRecord>) =>
      !hasNote(stored, creditNoteId) || isNumbered(stored, creditNoteId);
    if (isReached(issued)) return Promise.resolve(issued);
    const { id: invoiceId } = issued.state;
    const waited = invoices.waitFor(invoiceId, context, { isReached, until });
    return elseAsWritten(issued, waited, { logger, invoiceId, creditNoteId });
  }
}

function hasNote({ state }: Stored<InvoiceRecord>, id: string): boolean {
  return !state.isTombstone && findNote(state, id) !== undefined;
}

function isNumbered({ state }: Stored<InvoiceRecord>, id: string): boolean {
  return !state.isTombstone && findNote(state, id)?.number !== undefined;
}
