import { examineEach, groupBy, type Invariant, repeated } from './picture/invariant';
import type { InvoicePicture, Picture, SubscriptionPicture } from './picture/picture';

// With a running clock a renewal follows its instant by some moments.
const renewalLagMsMax = 60_000;
const dayMs = 24 * 60 * 60 * 1_000;
// The shortest interval over ten years; more means that the dates are wrong.
const periodsMax = 4_000;

export const billedEachPeriod: Invariant = {
  id: 'I2',
  title: 'each subscription has exactly one invoice for each period so far',
  examine: (picture) => {
    const bySubscription = groupBy(
      picture.invoices,
      ({ subscriptionId }) => subscriptionId ?? 'none',
    );
    return examineEach(picture.subscriptions, (subscription) => [
      ...periodProblems(subscription, bySubscription.get(subscription.id) ?? []),
      ...lagProblems(subscription, picture),
    ]);
  },
};

// The end and late usage are billed after their period.
const notOfPeriods: ReadonlySet<string> = new Set(['SUBSCRIPTION_CANCEL', 'SUBSCRIPTION_CHANGE']);

/** A change is billed in its period; one that begins a cycle bills the first period of it. */
function beginsCycle({ billingReason, status, lineItems }: InvoicePicture): boolean {
  const isOfChange = billingReason === 'SUBSCRIPTION_CHANGE' && status !== 'VOID';
  return isOfChange && lineItems.some(({ kind }) => kind === 'RECURRING');
}

function periodProblems(
  subscription: SubscriptionPicture,
  invoices: readonly InvoicePicture[],
): (string | false)[] {
  const { id, status } = subscription;
  if (hasCycles(invoices)) return chainProblems(subscription, invoices);
  const anchor = anchorOf(subscription);
  const billed = invoices
    .filter(({ billingReason }) => !notOfPeriods.has(billingReason))
    .flatMap(({ periodStart }) => periodStart ?? [])
    .filter((start) => new Date(start) >= anchor);
  const owed = periodsSoFar(subscription);
  // The invoice of a period in which the subscription was canceled was voided, and may never have
  // been created.
  const optional = isCutShort(subscription) ? owed.at(-1) : undefined;
  return [
    ...repeated(billed).map(
      ([start, count]) => `subscription ${id}: ${String(count)} invoices for the period ${start}`,
    ),
    ...owed
      .filter((start) => start !== optional && !billed.includes(start))
      .map((start) => `subscription ${id} (${status}): no invoice for the period ${start}`),
    ...billed
      .filter((start) => !owed.includes(start))
      .map((start) => `subscription ${id}: an invoice for ${start}, where no period starts`),
  ];
}

/** True if periods may not all count from the first anchor: other intervals begin new cycles. */
function hasCycles(invoices: readonly InvoicePicture[]): boolean {
  if (invoices.some(beginsCycle)) return true;
  const recurring = invoices
    .filter(({ billingReason }) => !notOfPeriods.has(billingReason))
    .flatMap(({ lineItems }) => lineItems)
    .filter(({ kind }) => kind === 'RECURRING');
  return new Set(recurring.map(({ priceId }) => priceId)).size > 1;
}

/** Each period follows the one before it, or begins a cycle in it or after it. */
function chainProblems(
  subscription: SubscriptionPicture,
  invoices: readonly InvoicePicture[],
): (string | false)[] {
  const { id, currentPeriodStart } = subscription;
  const billed = invoices
    .filter((invoice) => !notOfPeriods.has(invoice.billingReason) || beginsCycle(invoice))
    .filter(({ periodStart }) => periodStart !== null && periodStart >= startOf(subscription))
    .toSorted(
      (a, b) =>
        (a.periodStart ?? '').localeCompare(b.periodStart ?? '') ||
        // A cycle may begin at the start of a period.
        Number(beginsCycle(a)) - Number(beginsCycle(b)),
    );
  const last = billed.at(-1)?.periodStart ?? null;
  return [
    ...billed.slice(1).map((invoice, index) => {
      const before = billed[index];
      const follows = invoice.periodStart === before?.periodEnd || beginsCycle(invoice);
      return !follows && `subscription ${id}: no period leads to ${String(invoice.periodStart)}`;
    }),
    !isCutShort(subscription) &&
      last !== currentPeriodStart &&
      `subscription ${id}: no invoice for the period ${currentPeriodStart}`,
  ];
}

function startOf(subscription: SubscriptionPicture): string {
  return anchorOf(subscription).toISOString();
}

function lagProblems(
  { id, status, phase, currentPeriodEnd }: SubscriptionPicture,
  { now, isManual }: Picture,
): (string | false)[] {
  const lateMs = now.getTime() - new Date(currentPeriodEnd).getTime();
  return [
    status !== 'CANCELED' &&
      phase !== 'PAUSED' &&
      lateMs >= (isManual ? 0 : renewalLagMsMax) &&
      `subscription ${id}: its period ended ${String(lateMs)} ms ago`,
  ];
}

function anchorOf({ trialEnd, startAt }: SubscriptionPicture): Date {
  return new Date(trialEnd ?? startAt);
}

function isCutShort({ endedAt, currentPeriodEnd }: SubscriptionPicture): boolean {
  return endedAt !== null && new Date(endedAt) < new Date(currentPeriodEnd);
}

/** Starts of the periods so far, from the one that contains the creation on. */
function periodsSoFar(subscription: SubscriptionPicture): string[] {
  const anchor = anchorOf(subscription);
  const { createdAt, currentPeriodStart, price, phase } = subscription;
  if (phase === 'SCHEDULED' || phase === 'TRIAL') return [];
  // The subscription ended in its trial, or before it began.
  if (new Date(currentPeriodStart) < anchor || endedBefore(subscription, anchor)) return [];
  const starts: string[] = [];
  for (let n = 0; n < periodsMax; n += 1) {
    const start = periodStart(anchor, price, n);
    if (start > new Date(currentPeriodStart)) break;
    if (periodStart(anchor, price, n + 1) > new Date(createdAt)) starts.push(start.toISOString());
  }
  return starts;
}

function endedBefore({ endedAt }: SubscriptionPicture, instant: Date): boolean {
  return endedAt !== null && new Date(endedAt) < instant;
}

/**
 * Start of period n: n intervals after the anchor, on the month's last day where the anchor's day
 * is missing.
 */
function periodStart(anchor: Date, price: SubscriptionPicture['price'], n: number): Date {
  const count = n * price.intervalCount;
  switch (price.billingInterval) {
    case 'DAILY':
      return new Date(anchor.getTime() + count * dayMs);
    case 'WEEKLY':
      return new Date(anchor.getTime() + count * 7 * dayMs);
    case 'MONTHLY':
      return monthsAfter(anchor, count);
    case 'QUARTERLY':
      return monthsAfter(anchor, 3 * count);
    case 'YEARLY':
      return monthsAfter(anchor, 12 * count);
    default:
      throw new Error(`No period has the interval ${price.billingInterval}`);
  }
}

function monthsAfter(anchor: Date, months: number): Date {
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(anchor.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const date = new Date(anchor);
  date.setUTCDate(1);
  date.setUTCMonth(month);
  date.setUTCDate(Math.min(anchor.getUTCDate(), lastDay));
  return date;
}
