import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { calendarDayOf } from '@billing/kernel/calendar-day';
import type { InvoiceRecord } from '../invoice/invoice';
import type { InvoiceDiscount } from '../invoice/invoice-discount';
import type { Count } from '../invoice/stored-fields';
import { shownInvoices } from '../invoice/store';
import {
  type CustomerAccount,
  customerAccounts,
  type DatedInvoice,
  type RecentSales,
  recentSales,
} from './sales';

type Context = Pick<CallContext, 'tenant' | 'now'>;

const perPage = 100;
// Several years of monthly invoices of many subscriptions; each has a few kilobytes.
const customerInvoicesMax = 1_000;
// A few hundred bytes each, because only their amounts are read.
const recentInvoicesMax = 10_000;
const dayMs = 86_400_000;

interface AmountDocument {
  readonly amount: Count;
}

/** Amounts of an invoice as stored. Documents stored before discounts lack them. */
interface SalesDocument extends Pick<DatedInvoice, 'currency' | 'status' | 'createdAt'> {
  readonly lineItems: readonly AmountDocument[];
  readonly discounts?: readonly (Omit<InvoiceDiscount, 'amount'> & AmountDocument)[];
}

/** Sums over the invoices of a customer, and over those of the last two days. */
export class SalesStore {
  constructor(private readonly invoices: AggregateCollection<InvoiceRecord>) {}

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
    const invoices = found.flatMap((record) => (record.isTombstone ? [] : [record]));
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
    const found = await retryTransient(() =>
      this.invoices.documents
        .find({ environmentId, isTombstone: false, createdAt: { $gte: since, $lte: now } })
        .sort({ createdAt: -1, _id: -1 })
        .limit(recentInvoicesMax + 1)
        .project<SalesDocument>({
          createdAt: 1,
          currency: 1,
          status: 1,
          'lineItems.amount': 1,
          discounts: 1,
        })
        .toArray(),
    );
    const isMore = found.length > recentInvoicesMax;
    const invoices = found.slice(0, recentInvoicesMax).map(toDatedInvoice);
    return { currencies: recentSales(invoices, midnight), isMore };
  }
}

function toDatedInvoice({ lineItems, discounts = [], ...fields }: SalesDocument): DatedInvoice {
  const exact = <T extends AmountDocument>(one: T) => ({ ...one, amount: BigInt(one.amount) });
  return { ...fields, lineItems: lineItems.map(exact), discounts: discounts.map(exact) };
}
