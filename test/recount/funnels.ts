import { dayOf, daysUntil } from './dates';
import type { InvoiceRow } from './recurring';

const dayMs = 86_400_000;
const retryDays = [3, 7, 14];

/** `GET /dashboard/api/reports/checkout`, recounted from the single invoice of each session. */
export function checkoutOf(
  invoices: readonly InvoiceRow[],
  { now, days }: { now: Date; days: number },
) {
  const made = invoices.filter(({ billingReason }) => billingReason === 'CHECKOUT');
  const shown = daysUntil(now, days).map((day) => {
    const ofDay = made.filter(({ createdAt }) => createdAt.startsWith(day));
    return {
      day,
      created: ofDay.length,
      completed: ofDay.filter(({ status }) => status === 'PAID').length,
      expired: ofDay.filter(({ status }) => status === 'VOID').length,
    };
  });
  const sum = (name: 'created' | 'completed' | 'expired') =>
    shown.reduce((total, day) => total + day[name], 0);
  const [created, completed, expired] = [sum('created'), sum('completed'), sum('expired')];
  return { days: shown, created, completed, expired, open: created - completed - expired };
}

const outcomes = [
  'first',
  'second',
  'third',
  'later',
  'otherwise',
  'open',
  'uncollectible',
  'voided',
] as const;
type Outcome = (typeof outcomes)[number];

/** `GET /dashboard/api/reports/dunning`, recounted from the payments of each invoice. */
export function dunningOf(
  invoices: readonly InvoiceRow[],
  { now, days }: { now: Date; days: number },
) {
  const asked = new Set(daysUntil(now, days));
  const failed = invoices.filter((invoice) => {
    const [first] = invoice.payments;
    return isCharged(invoice) && first?.status === 'FAILED' && asked.has(dayOf(atOf(first)));
  });
  const byCurrency = Map.groupBy(failed, ({ currency }) => currency);
  // A charge covers the total without what the customer's balance has paid.
  const amount = (some: readonly InvoiceRow[]) =>
    some.reduce((sum, { payments: [charge] }) => sum + (charge?.amount ?? 0), 0);
  return {
    ...shapeOf(failed, (some) => some.length),
    amounts: [...byCurrency]
      .sort()
      .map(([currency, some]) => ({ currency, ...shapeOf(some, amount) })),
  };
}

/** True for automatic charges; a payer's attempt on a page is no failed charge. */
function isCharged({ billingReason, collectionMethod }: InvoiceRow): boolean {
  return billingReason !== 'CHECKOUT' && collectionMethod === 'CHARGE_AUTOMATICALLY';
}

function shapeOf(failed: readonly InvoiceRow[], measure: (some: readonly InvoiceRow[]) => number) {
  const of = (outcome: Outcome) => measure(failed.filter((one) => outcomeOf(one) === outcome));
  return {
    failed: measure(failed),
    recovered: {
      first: of('first'),
      second: of('second'),
      third: of('third'),
      later: of('later'),
      otherwise: of('otherwise'),
    },
    open: of('open'),
    uncollectible: of('uncollectible'),
    voided: of('voided'),
  };
}

/** Payments at the exact instant of a retry are that retry, with one saved method after another. */
function outcomeOf({ status, payments }: InvoiceRow): Outcome {
  if (status === 'UNCOLLECTIBLE') return 'uncollectible';
  if (status === 'VOID') return 'voided';
  if (status !== 'PAID') return 'open';
  const [first] = payments;
  if (first === undefined) return 'otherwise';
  const retryTimes = retryDays.map((days) => atOf(first).getTime() + days * dayMs);
  const retries = payments.filter((one) => retryTimes.includes(atOf(one).getTime()));
  const made = [...new Set(retries.map((one) => atOf(one).getTime()))];
  const paying = retries.find((one) => one.status === 'SUCCEEDED');
  return (paying && outcomes[made.indexOf(atOf(paying).getTime())]) ?? 'otherwise';
}

function atOf({ createdAt }: { createdAt: string }): Date {
  return new Date(createdAt);
}
