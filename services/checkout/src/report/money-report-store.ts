import type { Collection, Db, Document } from 'mongodb';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { type Addend, type Totals, TotalsSum } from '@billing/chassis/running-totals';
import type { CreditNote, Dispute, Refund } from '../invoice/credit/credit';
import { movedSince } from '../invoice/document/moved-month';
import type { InvoiceDiscount } from '../invoice/invoice-discount';
import type { InvoiceRecord, LineItem, Payment } from '../invoice/invoice';
import type { Count } from '../invoice/document/stored-fields';
import type { FinalizationDocument } from '../tax/finalization-document';
import { fromTaxDocument } from '../tax/finalization-document';
import type { TaxOfLine } from '../tax/finalization';
import { entryAddend, type PaidDocument, paymentAddends } from './payments-report';
import { type ReportSpan, taxAddends, type TaxedDocument } from './tax-report';

type Context = Pick<CallContext, 'tenant'>;

// A few hundred bytes each.
const batchSize = 1_000;

const common = ['currency', 'status', 'voidedAt', 'finalization.at', 'creditNotes'] as const;
const taxFields = [
  ...[...common, 'finalization.taxes.prices'],
  ...['id', 'amount', 'discountAmount', 'tax'].map((name) => `lineItems.${name}`),
];
const paymentFields = [
  ...[...common, 'createdAt', 'session.sessionId', 'discounts.amount', 'refunds', 'disputes'],
  ...['lineItems.amount', 'lineItems.tax'],
  ...['amount', 'status', 'provider', 'endedAt', 'createdAt', 'recorded'].map(
    (name) => `payments.${name}`,
  ),
];

type Amount<T> = Omit<T, 'amount'> & { readonly amount: Count };

/** Invoice as it is stored. Documents of earlier releases lack some fields. */
interface InvoiceDocument {
  readonly currency: PaidDocument['currency'];
  readonly status: PaidDocument['status'];
  readonly createdAt: Date;
  readonly voidedAt?: Date | null;
  readonly session?: object | null;
  readonly finalization?: Pick<FinalizationDocument, 'at' | 'taxes'> | null;
  readonly lineItems: readonly (Pick<LineItem, 'id'> & {
    readonly amount: Count;
    readonly discountAmount?: Count;
    readonly tax?: TaxOfLine | null;
  })[];
  readonly discounts?: readonly Amount<InvoiceDiscount>[];
  readonly creditNotes?: readonly CreditNote[];
  readonly refunds?: readonly (Amount<Omit<Refund, 'settledAt'>> & {
    readonly settledAt: Date | null;
  })[];
  readonly disputes?: readonly (Amount<Omit<Dispute, 'closedAt'>> & {
    readonly closedAt: Date | null;
  })[];
  readonly payments: readonly (Amount<Pick<Payment, 'status' | 'provider' | 'createdAt'>> & {
    readonly amount: Count;
    readonly endedAt?: Date;
    readonly recorded?: Payment['recorded'] | null;
  })[];
}

interface EntryDocument {
  readonly currency: string;
  readonly amount: Count;
  readonly createdAt: Date;
}

/**
 * Reports of money. They read the invoices one after another and keep sums alone. An index finds
 * the invoices with an event that counts in the month of the begin or later.
 */
export class MoneyReportStore {
  private readonly invoices: Collection;
  private readonly entries: Collection;

  constructor({ documents }: AggregateCollection<InvoiceRecord>, db: Db) {
    this.invoices = documents as unknown as Collection;
    this.entries = db.collection('balanceEntries');
  }

  /** Taxes of a span, by currency and terms. */
  taxes(span: ReportSpan, { tenant: { environmentId } }: Context): Promise<Totals> {
    const { from, to } = span;
    const filters = movedSince(from, { environmentId }).map((moved) => ({
      ...moved,
      createdAt: { $lt: to },
    }));
    return this.summed(this.invoices, filters, taxFields, (stored) =>
      taxAddends(toTaxed(stored as InvoiceDocument), span),
    );
  }

  /** Payments since an instant, by currency and month. */
  async payments(since: Date, { tenant: { environmentId } }: Context): Promise<Totals> {
    const [invoices, entries] = await Promise.all([
      this.summed(this.invoices, movedSince(since, { environmentId }), paymentFields, (stored) =>
        paymentAddends(toPaid(stored as InvoiceDocument)),
      ),
      this.summed(
        this.entries,
        [{ environmentId, isShown: true, createdAt: { $gte: since } }],
        ['currency', 'amount', 'createdAt'],
        (entry) => [entryAddend(exact(entry as EntryDocument))],
      ),
    ]);
    const sum = new TotalsSum(invoices);
    for (const [row, counts] of entries) sum.add({ row, counts });
    return sum.totals();
  }

  private summed(
    documents: Collection,
    filters: readonly object[],
    fields: readonly string[],
    addendsOf: (document: Document) => readonly AddendOf[],
  ): Promise<Totals> {
    const projection = Object.fromEntries(fields.map((field) => [field, 1]));
    return retryTransient(async () => {
      const sum = new TotalsSum();
      for (const filter of filters) {
        const found = documents.find(filter).project(projection).batchSize(batchSize);
        for await (const document of found) {
          for (const addend of addendsOf(document)) sum.add(addend as Addend);
        }
      }
      return sum.totals();
    });
  }
}

/** An addend whose counts may leave out names. */
interface AddendOf {
  readonly row: string;
  readonly counts: Readonly<Partial<Record<string, bigint>>>;
}

function toTaxed({ finalization, ...stored }: InvoiceDocument): TaxedDocument {
  const isTaxed = finalization?.taxes !== undefined && finalization.taxes !== null;
  return {
    ...commonOf(stored),
    finalAt: isTaxed ? (finalization.at ?? undefined) : undefined,
    lines: stored.lineItems.flatMap(({ id, amount, discountAmount = 0n, tax }) => {
      const read = fromTaxDocument(tax);
      if (read === undefined) return [];
      return [{ id, net: BigInt(amount) - BigInt(discountAmount), tax: read }];
    }),
  };
}

function toPaid(stored: InvoiceDocument): PaidDocument {
  const { lineItems, discounts = [], payments, refunds = [], disputes = [] } = stored;
  const tax = lineItems.reduce((sum, line) => sum + (fromTaxDocument(line.tax)?.amount ?? 0n), 0n);
  return {
    ...commonOf(stored),
    finalAt: finalTimeOf(stored),
    total: amountOf(lineItems) - amountOf(discounts) + tax,
    tax,
    payments: payments.map((payment) => ({
      ...exact(payment),
      endedAt: payment.endedAt ?? payment.createdAt,
      recorded: payment.recorded ?? undefined,
    })),
    refunds: refunds.map((refund) => ({
      ...exact(refund),
      settledAt: refund.settledAt ?? undefined,
    })),
    disputes: disputes.map((dispute) => ({
      ...exact(dispute),
      closedAt: dispute.closedAt ?? undefined,
    })),
  };
}

/** Invoices of earlier releases were issued when they were created, or when their session paid. */
function finalTimeOf({ finalization, session, status, createdAt }: InvoiceDocument) {
  if (finalization !== null && finalization !== undefined) return finalization.at ?? undefined;
  const isUnpaidSession = session !== null && session !== undefined && status !== 'PAID';
  return status === 'DRAFT' || isUnpaidSession ? undefined : createdAt;
}

function commonOf({
  currency,
  status,
  voidedAt,
  creditNotes = [],
}: Omit<InvoiceDocument, 'finalization'>) {
  return {
    ...{ currency, status, voidedAt: voidedAt ?? undefined },
    creditNotes,
  };
}

function amountOf(amounts: readonly { readonly amount: Count }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

function exact<T extends { readonly amount: Count }>(
  one: T,
): Omit<T, 'amount'> & { amount: bigint } {
  return { ...one, amount: BigInt(one.amount) };
}
