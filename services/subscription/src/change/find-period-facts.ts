import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, waitAtMost } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { DomainError, unlessNotFound } from '@billing/kernel/domain-error';
import type { CreditableLine } from '@billing/kernel/proration/credit-lines';
import {
  type Invoice,
  type LineItem,
  LineItemKind,
  type LineLeft,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { invoiceStatuses } from '@billing/proto/values/checkout';
import type { PeriodFacts, PeriodInvoice } from '../lifecycle/period-charges';
import type { Peers } from '../peer/peers';
import {
  currentPeriod,
  type Subscription,
  type SubscriptionItem,
  type SubscriptionItems,
} from '../subscription/subscription';
import type { Subscriptions } from '../storage/subscription-store';

// The gateway's deadline is 10 s; the change itself needs the rest.
const invoiceWithinMs = 8_000;
const reservedPollMs = 100;

export interface FactDependencies {
  readonly subscriptions: Subscriptions;
  readonly peers: Pick<Peers, 'checkout'>;
  readonly clock: Clock;
}

/**
 * Reads the invoices of the running period, newest first; null where none is billed. Waits for the
 * invoice of a period or of a change that has just begun, and until no other change has reserved
 * credit on one: what is left depends on the outcome of that change. Throws `unavailable` if this
 * takes too long. Credit that the change itself has reserved counts as left.
 */
export async function fetchPeriodFacts(
  stored: Stored<Subscription>,
  context: CallContext,
  { subscriptions, peers, clock }: FactDependencies,
  changeId: string,
): Promise<PeriodFacts | null> {
  const { id, phase, periodIndex } = stored.state;
  if (phase !== 'REGULAR' || periodIndex === null) return null;
  const until = waitAtMost(invoiceWithinMs, context, clock.now());
  const { state } = isInvoiced(stored.state)
    ? stored
    : await subscriptions.waitFor(id, context, { isReached: isInvoiced, until });
  if (!isInvoiced(state) || state.periodIndex !== periodIndex) throw notInvoiced();
  const ids = invoiceIdsOf(state).toReversed();
  for (;;) {
    const found = await fetchPeriodInvoices(ids, state, { changeId, context, peers });
    const invoices = found.flatMap(({ invoice }) => invoice ?? []);
    const isReserved = found.some((one) => one.isReserved);
    if (invoices.length === found.length && !isReserved) return { periodIndex, invoices };
    if (context.signal.aborted || clock.now() >= until) {
      throw isReserved ? reservedByAnother() : notInvoiced();
    }
    await sleep(reservedPollMs, context.signal);
  }
}

/** An invoice of the running period as it is now. */
interface FoundInvoice {
  /** Null: checkout does not have it yet, or has not opened it. */
  readonly invoice: PeriodInvoice | null;
  readonly isReserved: boolean;
}

/** Reads invoices of the running period as they are now. */
export async function fetchPeriodInvoices(
  ids: readonly string[],
  subscription: Subscription,
  {
    changeId,
    context,
    peers: { checkout },
  }: {
    /** Change whose own reservations count as left. */
    readonly changeId: string;
    readonly context: CallContext;
    readonly peers: FactDependencies['peers'];
  },
): Promise<FoundInvoice[]> {
  return Promise.all(
    ids.map(async (invoiceId) => {
      const asked = { id: invoiceId, changeId };
      const found = await unlessNotFound(checkout.getInvoice(asked, context));
      if (found?.invoice === undefined) return { invoice: null, isReserved: false };
      return {
        invoice: fromProtoInvoice(found.invoice, found.left, subscription),
        isReserved: found.reservedByOtherChange,
      };
    }),
  );
}

// An ended or waiting subscription is refused by the rule.
function isInvoiced({ phase, periodIndex, latestInvoice }: Subscription): boolean {
  return phase !== 'REGULAR' || latestInvoice?.periodIndex === periodIndex;
}

function invoiceIdsOf({ changes: { period }, periodIndex, latestInvoice }: Subscription): string[] {
  if (period !== null && period.periodIndex === periodIndex) return [...period.invoiceIds];
  return latestInvoice === null ? [] : [latestInvoice.id];
}

function fromProtoInvoice(
  invoice: Invoice,
  left: readonly LineLeft[],
  subscription: Subscription,
): PeriodInvoice | null {
  const status = invoiceStatuses.nameOf(invoice.status);
  // Its number and what the balance pays of it are not decided yet.
  if (status === 'DRAFT') return null;
  // A checkout of an earlier release does not say what is left.
  if (left.length !== invoice.lineItems.length) throw notInvoiced();
  const { items } = subscription;
  const [main, ...others] = items;
  const { start } = currentPeriod(subscription);
  const charge = chargeOf(invoice, main, start);
  return {
    invoiceId: invoice.id,
    status,
    ...(isPaidOrCreditedInPart(invoice) && { isVoidable: false }),
    lines: invoice.lineItems.map((line, index) =>
      creditableLine(line, left[index]?.amount ?? 0n, items),
    ),
    recurring: charge === undefined ? null : pricedCharge(charge),
    others: others.flatMap((item) => {
      const line = chargeOf(invoice, item, start);
      return line === undefined ? [] : [{ itemId: item.id, ...pricedCharge(line) }];
    }),
  };
}

/** True for an invoice that checkout does not void: a part of it is paid or credited. */
export function isPaidOrCreditedInPart({ payments, creditNoteIds }: Invoice): boolean {
  const succeeded = PaymentStatus.PAYMENT_STATUS_SUCCEEDED;
  return creditNoteIds.length > 0 || payments.some(({ status }) => status === succeeded);
}

// An invoice may also bill lines that were put off: in an earlier period, or of an earlier product.
function chargeOf(
  { lineItems }: Invoice,
  { id, productId, price }: SubscriptionItem,
  start: Date,
): LineItem | undefined {
  // Invoices of earlier releases and of checkout sessions name the price of the line alone.
  const ofItem = lineItems.filter((line) =>
    line.itemId === undefined
      ? line.priceId === price.id && line.meterId === undefined
      : line.itemId === id && line.amount > 0n && line.meterId === undefined,
  );
  const ofPeriod = ofItem.filter((line) => !isTimeBefore(line, start));
  const isOfPrice = (line: LineItem) =>
    line.priceId === price.id && (line.itemProductId ?? productId) === productId;
  return ofPeriod.findLast(isOfPrice) ?? ofPeriod.at(-1);
}

function isTimeBefore({ kind, periodStart }: LineItem, start: Date): boolean {
  const isPart = kind === LineItemKind.LINE_ITEM_KIND_REMAINING_TIME;
  return isPart && periodStart !== undefined && periodStart < start;
}

// Where a line names no item, its price decides; that of the main item may have changed since.
function creditableLine(
  line: LineItem,
  left: bigint,
  [main, ...others]: SubscriptionItems,
): CreditableLine {
  const { amount, discountAmount } = pricedCharge(line);
  const isTime = line.amount > 0n && line.meterId === undefined;
  const ofPrice = others.find(({ price }) => price.id === line.priceId) ?? main;
  return {
    lineItemId: line.id,
    itemId: isTime ? (line.itemId ?? ofPrice.id) : null,
    ...{ priced: amount - discountAmount, total: line.total, left },
  };
}

// Where prices include tax, the amount of a line is without it.
function pricedCharge(line: LineItem): NonNullable<PeriodInvoice['recurring']> {
  const { id: lineItemId, amount, discountAmount, pricedAmount, total } = line;
  const isInclusive = pricedAmount !== 0n && pricedAmount !== amount;
  return isInclusive
    ? { lineItemId, amount: pricedAmount, discountAmount: pricedAmount - total }
    : { lineItemId, amount, discountAmount };
}

function notInvoiced(): DomainError {
  return new DomainError('unavailable', 'PERIOD_NOT_INVOICED', 'Service unavailable');
}

function reservedByAnother(): DomainError {
  return new DomainError('unavailable', 'RESERVATION_IN_PROGRESS', 'Service unavailable');
}
