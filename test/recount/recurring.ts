/** The fields of a subscription, as in REST, that revenue depends on. */
export interface SubscriptionRow {
  readonly id: string;
  readonly status: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  readonly phase: 'SCHEDULED' | 'TRIAL' | 'REGULAR' | 'PAUSED' | 'ENDED';
  readonly currency: string;
  readonly startAt: string;
  readonly endedAt: string | null;
  readonly nextInvoiceAt: string | null;
  readonly trialEnd: string | null;
  readonly price: PriceRow;
}

interface PriceRow {
  readonly billingInterval: string;
  readonly intervalCount: number;
}

export interface InvoiceRow {
  readonly id: string;
  readonly subscriptionId: string | null;
  readonly status: 'DRAFT' | 'OPEN' | 'PAID' | 'VOID' | 'UNCOLLECTIBLE';
  readonly billingReason: string;
  readonly collectionMethod: 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';
  readonly currency: string;
  readonly total: number;
  readonly createdAt: string;
  readonly periodStart: string | null;
  readonly lineItems: readonly {
    readonly amount: number;
    readonly meterId: string | null;
    readonly kind: 'RECURRING' | 'UNUSED_TIME' | 'REMAINING_TIME' | 'USAGE' | null;
    readonly periodStart: string | null;
  }[];
  readonly payments: readonly {
    readonly status: 'PENDING' | 'REQUIRES_ACTION' | 'SUCCEEDED' | 'FAILED';
    readonly amount: number;
    readonly createdAt: string;
  }[];
}

/** The fields of a change, as in REST, that revenue depends on. */
export interface ChangeRow {
  readonly subscriptionId: string;
  readonly kind: 'UPDATE' | 'PAUSE' | 'RESUME';
  readonly effectiveAt: string;
  readonly from: { readonly items: readonly { readonly price: PriceRow }[] };
  readonly to: { readonly items: readonly { readonly price: PriceRow }[] };
  /** 0 before and after while nothing is billed. */
  readonly monthlyAmountBefore: number;
  readonly monthlyAmountAfter: number;
}

/** The monthly revenue of a subscription: its start, its changes and its end. */
export interface Recurring {
  readonly currency: string;
  readonly from: Date;
  readonly until: Date | null;
  /** At the start, derived from the first invoice. */
  readonly monthlyAmount: bigint;
  readonly changes: readonly RevenueChange[];
}

interface RevenueChange {
  readonly at: Date;
  readonly kind: ChangeRow['kind'];
  readonly difference: bigint;
}

// Twelfths of a year per period: 4 years have no leap day here, a year has 365 days and 52 weeks.
const periodsAYear: Readonly<Record<string, bigint>> = {
  DAILY: 365n,
  WEEKLY: 52n,
  MONTHLY: 12n,
  QUARTERLY: 4n,
  YEARLY: 1n,
};

/**
 * Covers subscriptions that were billed for a period; a trial's invoice bills none. For a start in
 * the past only the current period is billed. Throws if a bill does not follow the applied
 * changes.
 */
export function recurringOf(
  subscriptions: readonly SubscriptionRow[],
  invoices: readonly InvoiceRow[],
  applied: readonly ChangeRow[],
): Recurring[] {
  const bySubscription = Map.groupBy(invoices, ({ subscriptionId }) => subscriptionId);
  const changesOf = Map.groupBy(applied, ({ subscriptionId }) => subscriptionId);
  return subscriptions.flatMap((subscription) => {
    const charges = (bySubscription.get(subscription.id) ?? [])
      .flatMap((invoice) => chargesOf(invoice))
      .filter(({ from }) => !isInTrial(from, subscription))
      .sort((a, b) => a.from.getTime() - b.from.getTime());
    const [first] = charges;
    if (first === undefined) return [];
    const { id, currency, startAt, trialEnd, endedAt } = subscription;
    const changes = changesOf.get(id) ?? [];
    const recurring = {
      currency,
      from: new Date(trialEnd ?? startAt),
      until: endedAt === null ? null : new Date(endedAt),
      monthlyAmount: monthly(first.amount, priceAt(first.from, subscription, changes)),
      changes: changes.map(revenueChangeOf),
    };
    const odd = charges.find(
      ({ amount, from }) =>
        monthly(amount, priceAt(from, subscription, changes)) !==
        amountAfter(recurring, (at) => at <= from),
    );
    if (odd !== undefined) {
      throw new Error(`${id} was not billed its amount on ${odd.from.toISOString()}`);
    }
    return recurring;
  });
}

/** The monthly amount after the changes whose time is meant. */
export function amountAfter(
  { monthlyAmount, changes }: Recurring,
  isMeant: (at: Date) => boolean,
): bigint {
  return changes
    .filter(({ at }) => isMeant(at))
    .reduce((sum, { difference }) => sum + difference, monthlyAmount);
}

/** The main item's price at a time: changes are listed newest first. */
function priceAt(at: Date, { price }: SubscriptionRow, changes: readonly ChangeRow[]): PriceRow {
  const later = changes.findLast(({ effectiveAt }) => new Date(effectiveAt) > at);
  return later?.from.items[0]?.price ?? price;
}

function revenueChangeOf(change: ChangeRow): RevenueChange {
  const { kind, effectiveAt, monthlyAmountBefore, monthlyAmountAfter } = change;
  return {
    kind,
    at: new Date(effectiveAt),
    difference: BigInt(monthlyAmountAfter) - BigInt(monthlyAmountBefore),
  };
}

/**
 * The recurring charges of an invoice, one for each item, for its own period; a last bill has none.
 */
function chargesOf({ lineItems, billingReason, periodStart }: InvoiceRow) {
  const lines = lineItems.filter(
    ({ meterId, kind }) => meterId === null && (kind ?? 'RECURRING') === 'RECURRING',
  );
  const isCharge = lines.length > 0 && billingReason !== 'SUBSCRIPTION_CANCEL';
  if (!isCharge || periodStart === null) return [];
  const amount = lines.reduce((sum, line) => sum + line.amount, 0);
  return [{ amount, from: new Date(periodStart) }];
}

function isInTrial(at: Date, { trialEnd }: SubscriptionRow): boolean {
  return trialEnd !== null && at < new Date(trialEnd);
}

/** Rounds half up. */
function monthly(amount: number, { billingInterval, intervalCount }: PriceRow) {
  const aYear = BigInt(amount) * (periodsAYear[billingInterval] ?? 0n);
  const divisor = 12n * BigInt(intervalCount);
  const whole = aYear / divisor;
  return whole + ((aYear % divisor) * 2n >= divisor ? 1n : 0n);
}
