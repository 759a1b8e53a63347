import { fixedPoint, one } from '../picture/fixed-point';
import { type Examination, groupBy } from '../picture/invariant';
import type {
  InvoicePicture,
  LinePicture,
  Picture,
  SubscriptionPicture,
  UsageEventPicture,
} from '../picture/picture';

type Seen = Pick<
  Picture,
  'invoices' | 'subscriptions' | 'usageEvents' | 'meters' | 'meterPrices' | 'now' | 'isManual'
>;

/** A meter's usage in one period of a subscription, as invoices bill it. */
interface BilledUsage {
  readonly meterId: string;
  readonly start: string;
  readonly end: string;
  /** Total of all lines: the first bill and late usage. */
  readonly quantity: bigint;
}

// Time after a subscription's end at which late usage is billed.
const lateBillAfterMs = 36 * 24 * 60 * 60 * 1_000;
// With a running clock, an event that was being stored during a settlement may be billed by the
// next one.
const storingMsMax = 60_000;

/**
 * Recounts the events of billed periods. Excluded is usage that cannot be verified from outside:
 * deleted meters, meters whose aggregation depends on more than quantities, maxima of stretches
 * that begin within a period, meters priced by several subscriptions of a customer, and periods
 * with events since the subscription's last bill. Every bill must include all earlier events,
 * however long ago the period ended.
 */
export function recountBilledUsage(seen: Seen): Examination {
  let examined = 0;
  const findings: string[] = [];
  for (const subscription of seen.subscriptions) {
    for (const usage of usagesOf(subscription, seen)) {
      const counted = recount(subscription, usage, seen);
      if (counted === undefined) continue;
      examined += 1;
      if (counted !== usage.quantity) {
        const { meterId, start } = usage;
        findings.push(
          `subscription ${subscription.id}: the usage of ${meterId} from ${start} on is not billed once`,
        );
      }
    }
  }
  return { examined, findings };
}

function usagesOf(subscription: SubscriptionPicture, seen: Seen): BilledUsage[] {
  const own = seen.invoices.filter(({ subscriptionId }) => subscriptionId === subscription.id);
  // Usage of a voided invoice is billed again only where the subscription ended.
  if (subscription.status !== 'CANCELED' && own.some(isVoid)) return [];
  const standing = own.filter((invoice) => !isVoid(invoice));
  const lines = standing.flatMap(({ lineItems }) => lineItems).filter(isOfUsage);
  const billed = [...groupBy(lines, keyOf).values()].flatMap(billedUsage);
  const known = new Set(billed.map((usage) => keyOf({ ...usage, periodStart: usage.start })));
  const unbilled = pricedUsages(subscription, standing, seen).filter(
    (usage) =>
      !known.has(keyOf({ ...usage, periodStart: usage.start })) &&
      !billed.some((one) => isWithin(one, usage)),
  );
  return [...billed, ...unbilled];
}

/** True for a stretch that a change of the product begins within a period. */
function isWithin(stretch: BilledUsage, { meterId, start, end }: BilledUsage): boolean {
  return stretch.meterId === meterId && stretch.start > start && stretch.start < end;
}

function isVoid({ status }: InvoicePicture): boolean {
  return status === 'VOID';
}

function isOfUsage({ meterId }: LinePicture): boolean {
  return meterId !== null;
}

function keyOf({ meterId, periodStart }: Pick<LinePicture, 'meterId' | 'periodStart'>): string {
  return `${String(meterId)} ${String(periodStart)}`;
}

function billedUsage(lines: readonly LinePicture[]): BilledUsage[] {
  const [first] = lines;
  if (first === undefined || first.meterId === null) return [];
  const { meterId, periodStart: start, periodEnd: end } = first;
  if (start === null || end === null) return [];
  const quantity = lines.reduce((sum, line) => sum + fixedPoint(line.quantity ?? '0'), 0n);
  return [{ meterId, start, end, quantity }];
}

/**
 * Usages that a renewal settled by unchanged prices; a usage without a line counts as billed with
 * nothing.
 */
function pricedUsages(
  { productId }: SubscriptionPicture,
  standing: readonly InvoicePicture[],
  { meterPrices }: Seen,
): BilledUsage[] {
  const renewals = standing.filter(({ billingReason }) => billingReason === 'SUBSCRIPTION_CYCLE');
  const renewed = new Set(renewals.map(({ periodStart }) => periodStart));
  return standing.flatMap(({ periodStart: start, periodEnd: end, lineItems }) => {
    if (start === null || end === null || !renewed.has(end)) return [];
    const products = lineItems.flatMap((line) => line.productId ?? []);
    if (products.length > 0 && !products.includes(productId)) return [];
    return meterPrices
      .filter((price) => price.productId === productId && price.createdAt < start)
      .map(({ meterId }) => ({ meterId, start, end, quantity: 0n }));
  });
}

function recount(
  subscription: SubscriptionPicture,
  { meterId, start, end }: BilledUsage,
  seen: Seen,
): bigint | undefined {
  const { customerId } = subscription;
  if (isShared(subscription, meterId, seen)) return undefined;
  const bills = billsOf(subscription, seen).filter((at) => at >= Date.parse(end));
  const lastBillMs = Math.max(...bills) - storingMs(seen);
  const events = seen.usageEvents.filter(
    (event) =>
      event.customerId === customerId &&
      event.meterId === meterId &&
      event.timestamp >= start &&
      (event.timestamp < end || (event.timestamp === end && endsInclusively(subscription, start))),
  );
  if (events.some(({ receivedAt }) => Date.parse(receivedAt) >= lastBillMs)) return undefined;
  const aggregation = seen.meters.find((meter) => meter.id === meterId)?.aggregation;
  // A stretch within a period bills what it adds to the maximum before it.
  if (aggregation === 'MAX' && !isPeriodStart(subscription, start, seen)) return undefined;
  return quantityOf(events, aggregation);
}

function isPeriodStart({ id }: SubscriptionPicture, start: string, { invoices }: Seen): boolean {
  const reasons = ['SUBSCRIPTION_CREATE', 'SUBSCRIPTION_CYCLE'];
  return invoices.some(
    ({ subscriptionId, periodStart, billingReason }) =>
      subscriptionId === id && periodStart === start && reasons.includes(billingReason),
  );
}

/**
 * True if an immediate end cut the period short; such a period includes usage of its last instant.
 */
function endsInclusively(
  { endedAt, cancelAtPeriodEnd, currentPeriodStart }: SubscriptionPicture,
  start: string,
): boolean {
  return endedAt !== null && !cancelAtPeriodEnd && start === currentPeriodStart;
}

/** The times at which usage of a subscription was billed. */
function billsOf({ id, endedAt }: SubscriptionPicture, seen: Seen): number[] {
  const of = (reason: string) =>
    seen.invoices
      .filter((one) => one.subscriptionId === id && one.billingReason === reason)
      .map(({ createdAt }) => Date.parse(createdAt));
  const ends = of('SUBSCRIPTION_CANCEL');
  // The bill of late usage creates an invoice only if there is some.
  const lateMs = endedAt === null ? NaN : Date.parse(endedAt) + lateBillAfterMs;
  const isLateBilled = ends.length > 0 && seen.now.getTime() - storingMs(seen) >= lateMs;
  return [...of('SUBSCRIPTION_CYCLE'), ...ends, ...(isLateBilled ? [lateMs] : [])];
}

/** Time for which an event may have been received but not read. */
export function storingMs({ isManual }: Pick<Picture, 'isManual'>): number {
  return isManual ? 0 : storingMsMax;
}

/** True if another subscription of the customer may bill usage of the meter. */
function isShared(
  { id, customerId }: SubscriptionPicture,
  meterId: string,
  { subscriptions, invoices, meterPrices }: Seen,
): boolean {
  const others = subscriptions.filter((one) => one.customerId === customerId && one.id !== id);
  return others.some(
    (other) =>
      meterPrices.some(
        (price) => price.productId === other.productId && price.meterId === meterId,
      ) ||
      invoices.some(
        ({ subscriptionId, lineItems }) =>
          subscriptionId === other.id && lineItems.some((line) => line.meterId === meterId),
      ),
  );
}

/** Quantity of events in fixed point; undefined if it depends on more than quantities. */
export function quantityOf(
  events: readonly UsageEventPicture[],
  aggregation: string | undefined,
): bigint | undefined {
  const quantities = events.map(({ quantity }) => fixedPoint(quantity));
  switch (aggregation) {
    case 'SUM':
      return quantities.reduce((sum, quantity) => sum + quantity, 0n);
    case 'COUNT':
      return BigInt(events.length) * one;
    case 'MAX':
      return quantities.reduce((most, quantity) => (quantity > most ? quantity : most), 0n);
    default:
      return undefined;
  }
}
