/** The fields of a subscription, as in REST, that revenue depends on. */
export interface SubscriptionRow {
  readonly id: string;
  readonly status: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  readonly phase: 'SCHEDULED' | 'TRIAL' | 'REGULAR' | 'ENDED';
  readonly currency: string;
  readonly startAt: string;
  readonly endedAt: string | null;
  readonly nextInvoiceAt: string | null;
  readonly trialEnd: string | null;
  readonly price: { readonly billingInterval: string; readonly intervalCount: number };
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
    readonly periodStart: string | null;
  }[];
  readonly payments: readonly {
    readonly status: 'PENDING' | 'REQUIRES_ACTION' | 'SUCCEEDED' | 'FAILED';
    readonly amount: number;
    readonly createdAt: string;
  }[];
}

/** The monthly revenue of a subscription, with its start and end, derived from its invoices. */
export interface Recurring {
  readonly currency: string;
  readonly from: Date;
  readonly until: Date | null;
  readonly monthlyAmount: bigint;
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
 * the past only the current period is billed.
 */
export function recurringOf(
  subscriptions: readonly SubscriptionRow[],
  invoices: readonly InvoiceRow[],
): Recurring[] {
  const bySubscription = Map.groupBy(invoices, ({ subscriptionId }) => subscriptionId);
  return subscriptions.flatMap((subscription) => {
    const charges = (bySubscription.get(subscription.id) ?? [])
      .flatMap((invoice) => chargesOf(invoice))
      .filter(({ from }) => !isInTrial(from, subscription));
    const [first] = charges;
    if (first === undefined) return [];
    const odd = charges.find(({ amount }) => amount !== first.amount);
    if (odd !== undefined) throw new Error(`${subscription.id} has charges that differ over time`);
    const { currency, startAt, trialEnd, endedAt } = subscription;
    return {
      currency,
      from: new Date(trialEnd ?? startAt),
      until: endedAt === null ? null : new Date(endedAt),
      monthlyAmount: monthly(first.amount, subscription.price),
    };
  });
}

/** The recurring charge comes first, for the period of the invoice itself; a last bill has none. */
function chargesOf({ lineItems, billingReason, periodStart }: InvoiceRow) {
  const [line] = lineItems;
  const isCharge = line?.meterId === null && billingReason !== 'SUBSCRIPTION_CANCEL';
  if (!isCharge || periodStart === null) return [];
  return [{ amount: line.amount, from: new Date(periodStart) }];
}

function isInTrial(at: Date, { trialEnd }: SubscriptionRow): boolean {
  return trialEnd !== null && at < new Date(trialEnd);
}

/** Rounds half up. */
function monthly(amount: number, { billingInterval, intervalCount }: SubscriptionRow['price']) {
  const aYear = BigInt(amount) * (periodsAYear[billingInterval] ?? 0n);
  const divisor = 12n * BigInt(intervalCount);
  const whole = aYear / divisor;
  return whole + ((aYear % divisor) * 2n >= divisor ? 1n : 0n);
}
