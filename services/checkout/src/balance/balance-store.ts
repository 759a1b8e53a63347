import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { atBoundary } from '@billing/chassis/failpoint';
import { derivedId, jitter } from '@billing/chassis/ids';
import { KeyedMutex } from '@billing/chassis/keyed-mutex';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import {
  type AmountOf,
  type Balance,
  type BalanceEntry,
  consumptionOf,
  emptyBalance,
  paymentOf,
  pendingEntriesMax,
  post,
  type Posting,
  withoutCopied,
} from './balance';
import {
  type BalanceEntryStore,
  definedFields,
  type EntryDocument,
  readEntry,
  readPage,
  type WantedPage,
  toEntryDocument,
} from './entry-store';
import type { Invoice } from '../invoice/invoice';
import type { Count, Nullable } from '../invoice/document/stored-fields';

type Context = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

/** Owner and currency of a balance. */
export type BalanceOwner = Pick<Balance, 'customerId' | 'currency'>;

/** Filter of a list; absent: any. */
export interface BalanceFilter {
  readonly customerId?: string | undefined;
  readonly currency?: string | undefined;
}

/** The fields of an invoice that decide what it takes from the balance. */
export type Consumer = Pick<Invoice, 'id' | 'customerId' | 'currency'>;

type BalanceDocument = Omit<Nullable<Balance>, 'id' | 'sequence' | 'pendingEntries'> & {
  readonly _id: string;
  readonly sequence: Count;
  readonly pendingEntries: readonly EntryDocument[];
};

// A stopped process may have left an entry in the balance only.
const copyAfterMs = 30_000;
// Postings of one process take turns, so only replicas compete.
const attemptsMax = 64;
// More than there are currencies.
const currenciesMax = 1_000;

export const balanceDefinition: AggregateDefinition<Balance> = {
  collection: 'balances',
  aggregate: 'balance',
  resource: 'Balance',
  indexes: [
    { name: 'moved', keys: { isShown: 1, movedAt: -1, _id: -1 } },
    { name: 'customer', keys: { isShown: 1, customerId: 1, movedAt: -1, _id: -1 } },
  ],
  recoverAt: ({ pendingEntries, postedAt }) =>
    pendingEntries.length === 0 ? undefined : new Date(postedAt.getTime() + copyAfterMs),
  toDocument: ({ id: _id, movedAt, pendingEntries, ...fields }) => ({
    ...fields,
    // A balance with tombstones only has no entry to show.
    isShown: fields.sequence > 0,
    movedAt: movedAt ?? null,
    pendingEntries: pendingEntries.map(toEntryDocument),
  }),
  fromDocument: (document) => {
    const { _id: id, ...stored } = document as unknown as BalanceDocument;
    const { customerId, currency, balance, postedAt } = stored;
    return {
      ...{ id, customerId, currency, balance, postedAt },
      sequence: Number(stored.sequence),
      movedAt: stored.movedAt ?? undefined,
      pendingEntries: stored.pendingEntries.map(readEntry),
    };
  },
};

/**
 * Balances of customers. A posting is one compare-and-set on the balance, which also holds the new
 * entry until the entry has its own document. A retried posting finds its entry in one of the two.
 */
export class BalanceStore {
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly balances: AggregateCollection<Balance>,
    private readonly entries: BalanceEntryStore,
    private readonly clock: Clock,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Money owed to the customer. Concurrent reads share a query. */
  async amountOf(owner: BalanceOwner, context: Context): Promise<bigint> {
    const stored = await this.balances.within(context).find(idOf(owner, context));
    return stored?.state.balance ?? 0n;
  }

  /** True if an entry was ever posted. Concurrent reads share a query. */
  async isPosted(owner: BalanceOwner, context: Context): Promise<boolean> {
    return (await this.balances.within(context).find(idOf(owner, context))) !== undefined;
  }

  /** One page of balances with an entry, by their latest change, and their exact count. */
  async list(
    { page, perPage, oldestFirst, ...filter }: BalanceFilter & WantedPage,
    { tenant: { environmentId } }: Pick<Context, 'tenant'>,
  ): Promise<{ data: Balance[]; total: number }> {
    const query = { ...definedFields(filter), environmentId, isShown: true };
    const { documents } = this.balances;
    const wanted = { query, by: ['movedAt', '_id'], page, perPage, oldestFirst };
    const { found, total } = await readPage(documents, wanted);
    return { data: found.map((document) => balanceDefinition.fromDocument(document)), total };
  }

  /** Balances of a customer that are above 0. */
  async positiveOf(customerId: string, context: Pick<Context, 'tenant'>): Promise<Balance[]> {
    const page = { page: 1, perPage: currenciesMax };
    const { data } = await this.list({ customerId, ...page }, context);
    return data.filter(({ balance }) => balance > 0n);
  }

  /** Takes the balances of a deleted customer to 0. */
  async clear(customerId: string, context: Context): Promise<void> {
    for (const { currency, sequence } of await this.positiveOf(customerId, context)) {
      const { environmentId } = context.tenant;
      const posting = {
        id: derivedId(environmentId, 'balanceEntry', customerId, currency, 'erasure', sequence),
        kind: 'ADJUSTMENT',
        description: 'Customer deleted',
      } as const;
      const amountOf: AmountOf = (balance) => -balance;
      await this.post({ customerId, currency }, posting, { amountOf, context });
    }
  }

  /**
   * Posts an entry once under its id. A repeat returns the first entry, with its amount. The entry
   * is in its own document, where lists find it, when the call returns; if the copy fails or lasts
   * too long, within a minute.
   */
  post(
    owner: BalanceOwner,
    posting: Posting,
    { amountOf, context }: { readonly amountOf: AmountOf; readonly context: Context },
  ): Promise<BalanceEntry> {
    const id = idOf(owner, context);
    return this.turns.runExclusive([id], async () => {
      for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
        const posted = await this.tryToPost({ ...owner, id }, posting, { amountOf, context });
        if (posted !== undefined) return posted;
        await sleep(Math.min(attempt, 10) * 5 * jitter(1));
      }
      throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
    });
  }

  /** Takes what the balance covers of an invoice's total; returns the amount, at least 0. */
  async apply(
    invoice: Consumer,
    { round, total }: { readonly round: number; readonly total: bigint },
    context: Context,
  ): Promise<bigint> {
    const amountOf = consumptionOf(total);
    const { amount } = await this.post(invoice, appliedEntry(invoice.id, round, context), {
      amountOf,
      context,
    });
    return -amount;
  }

  /** Amount that an invoice has taken in a round, or 0. */
  async takenBy(
    invoice: Consumer,
    { round }: { readonly round: number },
    context: Context,
  ): Promise<bigint> {
    const { id } = appliedEntry(invoice.id, round, context);
    // Entries are copied before they leave the balance.
    const stored = await this.balances.within(context).find(idOf(invoice, context));
    const pending = stored === undefined ? undefined : find(stored.state, id);
    const entry = pending ?? (await this.entries.find(id, context));
    return entry === undefined ? 0n : -entry.amount;
  }

  /**
   * Returns what an invoice has taken in a round. Nothing is taken in the round any more: an
   * invoice that has taken nothing gets a tombstone.
   */
  async giveBack(
    invoice: Consumer,
    { round }: { readonly round: number },
    context: Context,
  ): Promise<void> {
    const taken = await this.apply(invoice, { round, total: 0n }, context);
    if (taken === 0n) return;
    await this.post(invoice, returnedEntry(invoice.id, round, context), {
      amountOf: () => taken,
      context,
    });
  }

  /**
   * Takes a payment of an invoice; returns the amount taken, 0 if the balance does not hold the
   * payment. A repeat returns the first amount.
   */
  async pay(
    invoice: Consumer,
    { paymentId, amount }: { readonly paymentId: string; readonly amount: bigint },
    context: Context,
  ): Promise<{ readonly entryId: string; readonly taken: bigint }> {
    const posting = { ...entryOfPayment(invoice.id, paymentId, context), kind: 'PAYMENT' } as const;
    const entry = await this.post(invoice, posting, { amountOf: paymentOf(amount), context });
    return { entryId: entry.id, taken: -entry.amount };
  }

  /**
   * Adds what a payment of an invoice has paid beyond the outstanding amount; returns the amount
   * that was added first.
   */
  async credit(
    invoice: Consumer,
    { paymentId, overpayment }: { readonly paymentId: string; readonly overpayment: bigint },
    context: Context,
  ): Promise<bigint> {
    const entry = entryOfPayment(invoice.id, paymentId, context);
    const posting = { ...entry, kind: 'OVERPAYMENT' } as const;
    const { amount } = await this.post(invoice, posting, { amountOf: () => overpayment, context });
    return amount;
  }

  /** Adds what a credit note gives to the customer. */
  async creditNote(
    invoice: Consumer,
    { creditNoteId, amount }: { readonly creditNoteId: string; readonly amount: bigint },
    context: Context,
  ): Promise<void> {
    const { id: invoiceId } = invoice;
    const id = derivedId(context.tenant.environmentId, 'balanceEntry', creditNoteId);
    const posting = { id, kind: 'CREDIT_NOTE', invoiceId, creditNoteId } as const;
    await this.post(invoice, posting, { amountOf: () => amount, context });
  }

  /** Adds a failed refund that was settled to the balance. */
  async replaceRefund(
    invoice: Consumer,
    refund: { readonly refundId: string; readonly amount: bigint } & {
      readonly creditNoteId: string | undefined;
    },
    context: Context,
  ): Promise<void> {
    const { refundId, creditNoteId, amount } = refund;
    const id = derivedId(context.tenant.environmentId, 'balanceEntry', refundId);
    const ids = { invoiceId: invoice.id, creditNoteId, refundId };
    const posting = { id, kind: 'REFUND_REPLACED', ...ids } as const;
    await this.post(invoice, posting, { amountOf: () => amount, context });
  }

  /** Copies entries to their own documents, in case the process that posted them has stopped. */
  async copyPending(balanceId: string, context: Context): Promise<void> {
    await this.copy(await this.balances.within(context).get(balanceId), context);
  }

  /** Undefined if another replica was faster: the caller looks again for the entry. */
  private async tryToPost(
    balance: Pick<Balance, 'id' | 'customerId' | 'currency'>,
    posting: Posting,
    { amountOf, context }: { readonly amountOf: AmountOf; readonly context: Context },
  ): Promise<BalanceEntry | undefined> {
    const realNow = this.clock.now();
    const decide = (state: Balance, now: Date) => post(state, posting, { amountOf, now, realNow });
    const balances = this.balances.within(context);
    const stored = await balances.find(balance.id);
    if (stored === undefined) {
      const first = decide(emptyBalance(balance, realNow), context.now);
      const written = await atBoundary('balance', 'post', () => balances.insert(first));
      return written.inserted ? this.copied(written.stored, posting.id, context) : undefined;
    }
    if (find(stored.state, posting.id) !== undefined) {
      return this.copied(stored, posting.id, context);
    }
    // Entries are copied before they leave the balance, so an entry that was posted before the
    // balance was read is found here.
    const existing = await this.entries.find(posting.id, context);
    if (existing !== undefined) return existing;
    if (stored.state.pendingEntries.length >= pendingEntriesMax) {
      await this.copy(stored, context);
      // Copies of older entries post nothing.
      context.storing?.close();
      return undefined;
    }
    const written = await atBoundary('balance', 'post', () =>
      this.writeVersion(stored, decide, context),
    );
    return written && this.copied(written, posting.id, context);
  }

  private async writeVersion(
    { state, version }: Stored<Balance>,
    decide: (state: Balance, now: Date) => Transition<Balance>,
    context: Context,
  ): Promise<Stored<Balance> | undefined> {
    try {
      const options = { expectedVersion: version };
      return await this.balances.within(context).mutate(state.id, decide, options);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'stale') return undefined;
      throw error;
    }
  }

  private async copied(
    stored: Stored<Balance>,
    entryId: string,
    context: Context,
  ): Promise<BalanceEntry> {
    const { logger } = this;
    const entry = find(stored.state, entryId);
    if (entry === undefined) throw new Error(`Balance entry ${entryId} is not pending`);
    const copied = this.copy(stored, context).then(() => entry);
    return elseAsWritten(entry, copied, { logger, storing: context.storing, entryId });
  }

  private async copy({ state }: Stored<Balance>, context: Context): Promise<void> {
    const { id, pendingEntries } = state;
    if (pendingEntries.length === 0) return;
    await atBoundary('balance', 'copyEntries', () => this.entries.insert(pendingEntries, context));
    await atBoundary('balance', 'forgetEntries', () =>
      this.balances.within(context).mutate(id, (balance) => ({
        state: withoutCopied(balance, pendingEntries),
        events: [],
        commands: [],
      })),
    );
  }
}

function find({ pendingEntries }: Balance, entryId: string): BalanceEntry | undefined {
  return pendingEntries.find(({ id }) => id === entryId);
}

function idOf({ customerId, currency }: BalanceOwner, { tenant }: Pick<Context, 'tenant'>): string {
  return `${tenant.environmentId}:${customerId}:${currency}`;
}

/** Entry by which an invoice takes from the balance, in a round of a plan change or the first. */
export function appliedEntry(invoiceId: string, round: number, { tenant }: Context): Posting {
  const id = derivedId(tenant.environmentId, 'balanceEntry', invoiceId, 'opening', round);
  return { id, kind: 'APPLIED', invoiceId };
}

function entryOfPayment(
  invoiceId: string,
  paymentId: string,
  { tenant }: Context,
): Pick<Posting, 'id' | 'invoiceId'> {
  return { id: derivedId(tenant.environmentId, 'balanceEntry', paymentId), invoiceId };
}

function returnedEntry(invoiceId: string, round: number, { tenant }: Context): Posting {
  const id = derivedId(tenant.environmentId, 'balanceEntry', invoiceId, 'return', round);
  return { id, kind: 'RETURNED', invoiceId };
}
