import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { calendarDayOf } from '@billing/kernel/calendar-day';
import type { InvoiceRecord } from '../invoice/invoice';
import type { Count } from '../invoice/document/stored-fields';
import { invoiceCollection } from './invoice-collection';
import { shownInvoices } from '../invoice/shown-invoices';
import {
  type CustomerAccount,
  customerAccounts,
  type RecentSales,
  recentSales,
  type StatusSales,
} from './sales';

type Context = Pick<CallContext, 'tenant' | 'now'>;

const perPage = 100;
// Several years of monthly invoices of many subscriptions; each has a few kilobytes.
const customerInvoicesMax = 1_000;
// Adding up twice as many takes the database twice as long.
const recentInvoicesMax = 10_000;
const newestFirst = { createdAt: -1, _id: -1 } as const;
const dayMs = 86_400_000;

/** Invoices of one currency, status and day, as the database adds them up. */
interface SumsDocument {
  readonly _id: Pick<StatusSales, 'currency' | 'status'> & { readonly isToday: boolean };
  readonly count: Count;
  readonly lines: Count;
  readonly discounts: Count;
  readonly taxes: Count;
}

/** Sums over the invoices of a customer, and over those of the last two days. */
export class SalesStore {
  private readonly recentMax: number;

  constructor(
    private readonly invoices: AggregateCollection<InvoiceRecord>,
    { recentInvoicesMax: recentMax = recentInvoicesMax } = {},
  ) {
    this.recentMax = recentMax;
  }

  /** The accounts of a customer, over at most the newest 1,000 invoices. */
  async accountsOf(
    customerId: string,
    context: Context,
  ): Promise<{ accounts: CustomerAccount[]; isMore: boolean }> {
    const store = this.invoices.within(context);
    const filter = shownInvoices({ customerId });
    const found: InvoiceRecord[] = [];
    for (let page = 1; found.length < customerInvoicesMax; page += 1) {
      const { data } = await store.list({ filter, page, perPage });
      found.push(...data.map(({ state }) => state));
      if (data.length < perPage) break;
    }
    const invoices = found.flatMap((record) => {
      if (record.isTombstone) return [];
      return [{ ...record, nextAttemptAt: invoiceCollection(record).nextAttemptAt }];
    });
    const isMore = found.length >= customerInvoicesMax;
    return { accounts: customerAccounts(invoices, context.now), isMore };
  }

  /** True if any invoice of the environment was paid. A list would count all of them. */
  async hasPayment({ tenant: { environmentId } }: Pick<Context, 'tenant'>): Promise<boolean> {
    const paid = { environmentId, isTombstone: false, status: 'PAID' };
    const one = await retryTransient(() =>
      this.invoices.documents.findOne(paid, { projection: { _id: 1 } }),
    );
    return one !== null;
  }

  /** Sales of the current day and the day before, over at most the newest 10,000 invoices. */
  async recent({
    tenant: { environmentId },
    now,
  }: Context): Promise<{ currencies: RecentSales[]; isMore: boolean }> {
    const midnight = calendarDayOf(now).start;
    const since = new Date(midnight.getTime() - dayMs);
    const created = { environmentId, isTombstone: false, createdAt: { $gte: since, $lte: now } };
    const { documents } = this.invoices;
    // The database adds up, because reading the amounts costs several times as much.
    const found = await retryTransient(() =>
      documents
        .aggregate<SumsDocument>([
          { $match: created },
          { $sort: newestFirst },
          { $limit: this.recentMax },
          { $group: groupsSince(midnight) },
        ])
        .toArray(),
    );
    const sums = found.map(toStatusSales);
    const counted = sums.reduce((total, { count }) => total + count, 0n);
    const isMore = counted >= this.recentMax && (await this.hasMore(created));
    return { currencies: recentSales(sums), isMore };
  }

  /** True if more invoices match than are counted. */
  private async hasMore(filter: Readonly<Record<string, unknown>>): Promise<boolean> {
    const options = { sort: newestFirst, skip: this.recentMax, projection: { _id: 1 } };
    const next = await retryTransient(() => this.invoices.documents.findOne(filter, options));
    return next !== null;
  }
}

/** Stage that sums the totals of invoices; documents of earlier releases lack some amounts. */
function groupsSince(midnight: Date) {
  const sumOf = (amounts: string) => ({ $sum: { $sum: amounts } });
  const isToday = { $gte: ['$createdAt', midnight] };
  return {
    _id: { currency: '$currency', status: '$status', isToday },
    count: { $sum: 1 },
    lines: sumOf('$lineItems.amount'),
    discounts: sumOf('$discounts.amount'),
    taxes: sumOf('$lineItems.tax.amount'),
  };
}

function toStatusSales({ _id, count, lines, discounts, taxes }: SumsDocument): StatusSales {
  const { currency, status, isToday } = _id;
  const amount = BigInt(lines) - BigInt(discounts) + BigInt(taxes);
  return { currency, status, day: isToday ? 'today' : 'yesterday', count: BigInt(count), amount };
}
