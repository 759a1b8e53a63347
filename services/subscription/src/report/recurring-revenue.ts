import { changeIndexOf, isChangeStep, type ReportedStep } from '../subscription/reached-step';
import {
  monthlyAmount,
  type RecurringItem,
  type RecurringPrice,
} from '../subscription/monthly-amount';
import type { PriceSnapshot, Subscription } from '../subscription/subscription';
import type { RevenueStep } from '../subscription/subscription-change';

/** The facts about a billed subscription that revenue is computed from. */
export interface Recurring extends Pick<Subscription, 'anchor' | 'endedAt' | 'pausedAt'> {
  /** The main item first. */
  readonly items: readonly [RevenueItem, ...RevenueItem[]];
  /** Amount a month at the start; null: the present one. */
  readonly startedAmount: bigint | null;
  /** The changes since, oldest first. */
  readonly revenue: readonly RevenueStep[];
}

/** The facts about an item that revenue is computed from. */
export interface RevenueItem extends RecurringItem {
  readonly price: RecurringPrice & Pick<PriceSnapshot, 'currency'>;
}

/** A row of sums: of a currency and a month, or of the present. */
export type RevenueRow =
  | { readonly kind: 'MONTH'; readonly month: string; readonly currency: string }
  | { readonly kind: 'PRESENT' };

/** The amounts that a step adds to a row of sums. */
export interface RevenueAddend {
  readonly row: RevenueRow;
  readonly counts: Readonly<Record<string, bigint>>;
}

/**
 * Computes what a step adds to the sums of all subscriptions. The result never changes once the
 * step is reached.
 */
export function addendOf(recurring: Recurring, step: ReportedStep): RevenueAddend {
  const { anchor, endedAt, pausedAt, items, startedAmount } = recurring;
  const inMonth = (at: Date): RevenueRow => ({
    kind: 'MONTH',
    month: monthOf(at),
    currency: items[0].price.currency,
  });
  if (isChangeStep(step)) {
    const index = changeIndexOf(step);
    const change = recurring.revenue[index];
    if (change === undefined) throw new Error(`No change of revenue for step ${step}`);
    const before = amountAfter(recurring, index);
    return { row: inMonth(change.at), counts: changedCounts({ ...change, before }) };
  }
  switch (step) {
    case 'TRIAL_BEGUN':
      return { row: { kind: 'PRESENT' }, counts: { trialing: 1n } };
    case 'TRIAL_LEFT':
      return { row: { kind: 'PRESENT' }, counts: { trialing: -1n } };
    case 'STARTED': {
      const counts = { started: 1n, startedAmount: startedAmount ?? monthlyAmount(items) };
      return { row: inMonth(anchor), counts };
    }
    case 'ENDED': {
      // A paused one was counted as churned already.
      const endedAmount = pausedAt === null ? amountAfter(recurring, recurring.revenue.length) : 0n;
      const counts = { ended: 1n, endedAmount };
      return { row: inMonth(endedAt ?? anchor), counts };
    }
  }
}

/**
 * Amount a month after the first changes of a subscription: what its steps have added so far.
 * Earlier releases have rounded the amounts before and after a change in another way.
 */
function amountAfter({ items, startedAmount, revenue }: Recurring, changeCount: number): bigint {
  const last = revenue[changeCount - 1];
  return last?.after ?? startedAmount ?? monthlyAmount(items);
}

function changedCounts({ before, after, kind }: RevenueStep): RevenueAddend['counts'] {
  switch (kind) {
    case 'UPDATE': {
      const expansion = after > before ? after - before : 0n;
      const contraction = before > after ? before - after : 0n;
      return { expansion, contraction };
    }
    case 'PAUSE':
      return { endedAmount: before };
    case 'RESUME':
      return { reactivation: after };
  }
}

/** `2026-11`, in UTC. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, -'-01T00:00:00.000Z'.length);
}
