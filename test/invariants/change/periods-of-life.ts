import type {
  ChangePicture,
  InvoicePicture,
  ItemPicture,
  SubscriptionPicture,
} from '../picture/picture';

/** A subscription with its invoices and its changes that took effect. */
export interface Life {
  readonly subscription: SubscriptionPicture;
  readonly invoices: readonly InvoicePicture[];
  /** Oldest first. */
  readonly applied: readonly ChangePicture[];
}

// Usage, ends and changes are billed apart from the periods.
const notOfPeriods: ReadonlySet<string> = new Set(['SUBSCRIPTION_CANCEL', 'SUBSCRIPTION_CHANGE']);

/** A billed period. */
interface BilledPeriod {
  readonly invoice: InvoicePicture;
  readonly start: string;
  readonly end: string;
  /** The change that begins it; undefined: time does. */
  readonly change: ChangePicture | undefined;
}

/**
 * Problems of the periods of a subscription: with the cut ones and the pauses between them they
 * cover the time from the first on, without gap or overlap.
 */
export function coverProblems(life: Life): (string | false)[] {
  const { subscription } = life;
  const { id, phase, endedAt } = subscription;
  const periods = billedPeriods(life);
  const last = periods.at(-1);
  if (last === undefined || phase === 'SCHEDULED' || phase === 'TRIAL') return [];
  return [
    ...periods.slice(1).map((period, index) => {
      const before = periods[index];
      return (
        before !== undefined &&
        !isFollowing(before, period, life) &&
        `subscription ${id}: nothing leads from the period ${before.start} to ${period.start}`
      );
    }),
    phase === 'REGULAR' &&
      endedAt === null &&
      last.end !== subscription.currentPeriodEnd &&
      `subscription ${id}: its last period is billed until ${last.end}`,
    phase === 'PAUSED' &&
      !hasPause(life, { from: last.start, to: last.end }) &&
      `subscription ${id}: PAUSED without a change`,
  ];
}

/** Problems of the items of billed periods: each of those in force is charged once. */
export function itemProblems(life: Life): (string | false)[] {
  return billedPeriods(life).map((period) => {
    const { invoice } = period;
    const charged = invoice.lineItems.filter(
      ({ kind, periodStart }) => kind === 'RECURRING' && periodStart === period.start,
    );
    // Lines of earlier releases do not say what they are of.
    const isKnown = charged.every(({ productId = null }) => productId !== null);
    if (charged.length === 0 || !isKnown) return false;
    const text = textOf(charged.map(({ productId, priceId }) => ({ productId, priceId })));
    return (
      !itemsIn(period, life).includes(text) &&
      `invoice ${invoice.id}: does not charge each item of its period once`
    );
  });
}

function billedPeriods({ subscription, invoices, applied }: Life): BilledPeriod[] {
  const { trialEnd, startAt } = subscription;
  const anchor = trialEnd ?? startAt;
  return invoices
    .flatMap((invoice): BilledPeriod[] => {
      const { periodStart: start, periodEnd: end, billingReason, lineItems } = invoice;
      if (start === null || end === null || start < anchor) return [];
      if (!notOfPeriods.has(billingReason)) return [{ invoice, start, end, change: undefined }];
      const isWhole = lineItems.some(({ kind }) => kind === 'RECURRING');
      const change = applied.find(({ invoiceId }) => invoiceId === invoice.id);
      const begins = billingReason === 'SUBSCRIPTION_CHANGE' && isWhole && change !== undefined;
      return begins ? [{ invoice, start, end, change }] : [];
    })
    .toSorted(
      (a, b) =>
        a.start.localeCompare(b.start) ||
        Number(a.change !== undefined) - Number(b.change !== undefined) ||
        a.invoice.createdAt.localeCompare(b.invoice.createdAt),
    );
}

/** True if a period begins where the one before it ends, or where a change or a pause ends it. */
function isFollowing(before: BilledPeriod, { start, change }: BilledPeriod, life: Life): boolean {
  if (start === before.end) return true;
  if (change === undefined || change.effectiveAt !== start) return false;
  if (change.kind !== 'RESUME') return start < before.end;
  return hasPause(life, { from: before.start, to: before.end < start ? before.end : start });
}

function hasPause({ applied }: Life, { from, to }: { from: string; to: string }): boolean {
  return applied.some(
    ({ kind, effectiveAt }) => kind === 'PAUSE' && effectiveAt >= from && effectiveAt <= to,
  );
}

/** Texts of the items that may be in force at the beginning of a period. */
function itemsIn({ start, change }: BilledPeriod, { applied, subscription }: Life): string[] {
  if (change !== undefined) return [textOf(change.to.items)];
  const isBefore = ({ effectiveAt, from }: ChangePicture) =>
    effectiveAt < start || (effectiveAt === start && (from.currentPeriodStart ?? '') < start);
  const earlier = applied.filter(isBefore);
  const [latest, first] = [earlier.at(-1), applied[0]];
  if (latest !== undefined) return atInstantOf(latest, earlier).map(({ to }) => textOf(to.items));
  if (first === undefined) return [textOf(subscription.items)];
  return atInstantOf(first, applied).map(({ from }) => textOf(from.items));
}

/** Changes of one instant have no known order. */
function atInstantOf({ effectiveAt }: ChangePicture, changes: readonly ChangePicture[]) {
  return changes.filter((change) => change.effectiveAt === effectiveAt);
}

type Charged = Readonly<
  Record<'productId' | 'priceId', ItemPicture['productId'] | null | undefined>
>;

function textOf(items: readonly Charged[]): string {
  return items.map(({ productId, priceId }) => `${String(productId)} ${String(priceId)}`).join();
}
