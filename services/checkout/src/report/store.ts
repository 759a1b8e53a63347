import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import {
  type CountedDocument,
  RunningTotals,
  type TotalsDefinition,
  type Addend,
  type Counts,
} from '@billing/chassis/running-totals';
import type { Service } from '@billing/chassis/service';
import { calendarDayOf } from '@billing/kernel/calendar-day';
import {
  type DunningDay,
  type DunningOutcome,
  dunningOutcome,
  type DunningStep,
  dunningSteps,
  type InvoiceSum,
  type Resolved,
} from '../invoice/document/dunning-report';
import type { InvoiceRecord, Payment } from '../invoice/invoice';
import type { SessionRecord } from '../sales/session';
import { type Count } from '../invoice/document/stored-fields';
import { MoneyReportStore } from './money-report-store';
import {
  funnelAddend,
  type FunnelDay,
  type FunnelStep,
  funnelSteps,
} from '../sales/session-funnel';

/** Limit of days in a report. */
export const reportDaysMax = 400;
const dayMs = 86_400_000;

// Older days cannot be requested, because the last day is at most today.
function oldestDay(newest: string): string {
  const [day = ''] = newest.split(' ');
  return calendarDayOf(new Date(Date.parse(day) - reportDaysMax * dayMs)).day;
}

type Steps<T extends string> = Partial<Record<T, T>>;

/** Running totals of sessions: one row a day. */
const funnelTotals: TotalsDefinition = {
  collection: 'checkoutSessionTotals',
  revision: 2,
  follows: { COMPLETED: 'CREATED', EXPIRED: 'CREATED' } satisfies Steps<FunnelStep>,
  oldestRow: oldestDay,
  fields: [],
  addendsOf: ({ createdAt }, step) =>
    isFunnelStep(step) ? [{ row: calendarDayOf(createdAt).day, counts: funnelAddend(step) }] : [],
};

/** Running totals of invoices: one row a day and currency. */
const dunningTotals: TotalsDefinition = {
  collection: 'dunningTotals',
  revision: 4,
  follows: { RESOLVED: 'FAILED' } satisfies Steps<DunningStep>,
  oldestRow: oldestDay,
  fields: [
    'firstFailedAt',
    'givenUpAt',
    'currency',
    'status',
    'lineItems.amount',
    'lineItems.tax.amount',
    'discounts.amount',
    'payments.status',
    'payments.origin',
    'payments.retry',
    'payments.amount',
    'payments.overpayment',
  ],
  addendsOf: (document, step) => (isDunningStep(step) ? [toAddend(document, step)] : []),
};

/** Reports on sessions and invoices. */
export class ReportStore {
  private readonly funnelTotals: RunningTotals;
  private readonly dunningTotals: RunningTotals;
  /** Reports of taxes and payments. */
  readonly money: MoneyReportStore;

  constructor(
    { db, clock }: Pick<Service, 'db' | 'clock'>,
    {
      sessions,
      invoices,
    }: {
      readonly sessions: AggregateCollection<SessionRecord>;
      readonly invoices: AggregateCollection<InvoiceRecord>;
    },
  ) {
    this.funnelTotals = new RunningTotals(db, sessions, funnelTotals, clock);
    this.dunningTotals = new RunningTotals(db, invoices, dunningTotals, clock);
    this.money = new MoneyReportStore(invoices, db);
  }

  /** Days on which sessions were created. */
  async funnel({ tenant }: Pick<CallContext, 'tenant'>): Promise<FunnelDay[]> {
    const totals = await this.funnelTotals.read(tenant);
    return [...totals].map(([day, { created = 0n, completed = 0n, expired = 0n }]) => ({
      day,
      created,
      completed,
      expired,
    }));
  }

  /** Days on which the first charge of invoices failed, by currency. */
  async dunning({ tenant }: Pick<CallContext, 'tenant'>): Promise<DunningDay[]> {
    const totals = await this.dunningTotals.read(tenant);
    return [...totals].map(([row, counts]) => {
      const [day = '', currency = ''] = row.split(' ');
      return { day, currency, ...fromCounts(counts) };
    });
  }

  /** Updates the totals; run periodically, so that reads stay cheap. */
  async updateSnapshots(signal: AbortSignal): Promise<void> {
    await this.funnelTotals.updateSnapshots(signal);
    await this.dunningTotals.updateSnapshots(signal);
  }
}

function isFunnelStep(step: string): step is FunnelStep {
  return (funnelSteps as readonly string[]).includes(step);
}

function isDunningStep(step: string): step is DunningStep {
  return (dunningSteps as readonly string[]).includes(step);
}

type Amounts = readonly { readonly amount: Count }[];
type TaxDocument = { readonly amount: Count };

interface DunnedDocument extends Pick<Resolved, 'status'> {
  readonly firstFailedAt: Date;
  readonly givenUpAt?: Date | null;
  readonly currency: string;
  /** Lines of earlier releases, and of invoices that are not taxed, have no tax. */
  readonly lineItems: readonly { readonly amount: Count; readonly tax?: TaxDocument | null }[];
  /** Payments stored before their origin was recorded come from the schedule. */
  readonly payments: readonly (Pick<Payment, 'status'> &
    Partial<Pick<Payment, 'origin'>> & {
      readonly amount: Count;
      readonly overpayment?: Count;
      readonly retry?: Count | null;
    })[];
  /** Absent in documents that were stored before discounts. */
  readonly discounts?: Amounts;
}

function toAddend(document: CountedDocument, step: DunningStep): Addend {
  const dunned = document as unknown as DunnedDocument;
  const { firstFailedAt, currency, lineItems, discounts = [] } = dunned;
  // A charge is of the total without what other payments and the customer's balance had paid. A
  // voided invoice no longer has that part: the balance got it back.
  const charge = dunned.payments.find(({ origin = 'COLLECTION' }) => origin === 'COLLECTION');
  const taxes = lineItems.flatMap(({ tax }) => tax ?? []);
  const total = sumOf(lineItems) - sumOf(discounts) + sumOf(taxes);
  const amount = charge === undefined ? total : BigInt(charge.amount);
  // One that succeeded after the end of the invoice has paid nothing of it.
  const counted = dunned.payments.filter(
    ({ amount: paid, overpayment = 0 }) =>
      BigInt(paid) === 0n || BigInt(overpayment) < BigInt(paid),
  );
  const payments = counted.map(({ status, origin = 'COLLECTION', retry }) => ({
    status,
    origin,
    retry: retry === undefined || retry === null ? undefined : Number(retry),
  }));
  const outcome = dunningOutcome({
    status: dunned.status,
    givenUpAt: dunned.givenUpAt ?? undefined,
    payments,
  });
  const name = step === 'FAILED' ? 'failed' : nameOf(outcome);
  return {
    row: `${calendarDayOf(firstFailedAt).day} ${currency}`,
    counts: { [name]: 1n, [`${name}Amount`]: amount },
  };
}

function sumOf(amounts: Amounts): bigint {
  return amounts.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

function nameOf(outcome: DunningOutcome): string {
  switch (outcome.kind) {
    case 'RECOVERED_BY_RETRY':
      return `retry${String(outcome.retry)}`;
    case 'RECOVERED_OTHERWISE':
      return 'otherwise';
    case 'UNCOLLECTIBLE':
      return 'uncollectible';
    case 'VOIDED':
      return 'voided';
  }
}

function fromCounts(counts: Counts): Omit<DunningDay, 'day' | 'currency'> {
  const sum = (name: string): InvoiceSum => ({
    count: counts[name] ?? 0n,
    amount: counts[`${name}Amount`] ?? 0n,
  });
  const retries = Object.keys(counts).map((name) => Number(/^retry(\d+)$/.exec(name)?.[1] ?? 0));
  return {
    failed: sum('failed'),
    recoveredByRetry: Array.from({ length: Math.max(0, ...retries) }, (_, index) =>
      sum(`retry${String(index + 1)}`),
    ),
    recoveredOtherwise: sum('otherwise'),
    uncollectible: sum('uncollectible'),
    voided: sum('voided'),
  };
}
