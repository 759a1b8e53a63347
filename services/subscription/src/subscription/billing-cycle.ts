import {
  type BillingPeriod,
  periodAt,
  periodContaining,
  type Recurrence,
} from '@billing/kernel/billing-period';

/** Consecutive periods of one length, counted from one anchor. */
export interface BillingCycle extends Recurrence {
  /** Index of its first period. */
  readonly firstPeriod: number;
  /** Start of its first period. */
  readonly anchor: Date;
  /** Invoice of its first period that a change has ordered; null: the id follows from the index. */
  readonly invoiceId: string | null;
  /** Null: it runs. */
  readonly end: {
    readonly lastPeriod: number;
    /** End of the last period, which may be shorter than the others. */
    readonly at: Date;
  } | null;
}

/** The fields that the periods of a subscription follow from. */
export interface CycleFacts {
  readonly anchor: Date;
  readonly items: readonly [{ readonly price: Recurrence }, ...unknown[]];
  readonly cycles: readonly BillingCycle[];
}

/** Largest number of cycles that a document has room for. */
export const cyclesMax = 500;

/** All cycles, oldest first. A subscription without a new cycle has one, from its anchor. */
function cyclesOf({ anchor, items, cycles }: CycleFacts): readonly BillingCycle[] {
  if (cycles.length > 0) return cycles;
  const [{ price }] = items;
  return [{ firstPeriod: 0, anchor, ...recurrenceOf(price), invoiceId: null, end: null }];
}

function recurrenceOf({ billingInterval, intervalCount }: Recurrence): Recurrence {
  return { billingInterval, intervalCount };
}

/** Computes a billed period from the anchor of its cycle; the last one of a cycle may be cut. */
export function periodOf(facts: CycleFacts, periodIndex: number): BillingPeriod {
  const cycles = cyclesOf(facts);
  const cycle = cycles.findLast(({ firstPeriod }) => firstPeriod <= periodIndex);
  if (cycle === undefined) throw new Error(`No cycle has period ${String(periodIndex)}`);
  const period = periodAt(cycle.anchor, cycle, periodIndex - cycle.firstPeriod);
  const { end } = cycle;
  return end?.lastPeriod === periodIndex ? { start: period.start, end: end.at } : period;
}

/** Index of the period that contains an instant, or of the last one before a pause. */
export function periodIndexAt(facts: CycleFacts, at: Date): number {
  const [first, ...later] = cyclesOf(facts);
  const cycle = later.findLast(({ anchor }) => anchor <= at) ?? first;
  if (cycle === undefined) throw new Error('A subscription has a cycle');
  const index = cycle.firstPeriod + periodContaining(cycle.anchor, cycle, at).index;
  return cycle.end === null ? index : Math.min(index, cycle.end.lastPeriod);
}

/** Index of the period of the first cycle that contains an instant, or of its last one. */
export function firstCycleIndexAt(facts: CycleFacts, at: Date): number {
  const [first] = cyclesOf(facts);
  if (first === undefined) throw new Error('A subscription has a cycle');
  const { index } = periodContaining(first.anchor, first, at);
  return Math.min(index, first.end?.lastPeriod ?? Infinity);
}

/** Index of the period after the running one; 0 before the first billed one. */
export function nextPeriodIndex({ periodIndex }: Pick<BilledFacts, 'periodIndex'>): number {
  return periodIndex === null ? 0 : periodIndex + 1;
}

/** The last period before a pause; null: the running cycle has no last one yet. */
export function lastPeriodOf(facts: CycleFacts): number | null {
  return cyclesOf(facts).at(-1)?.end?.lastPeriod ?? null;
}

/** Invoice of a period that a change has ordered; null: its id follows from the index. */
export function orderedInvoiceOf({ cycles }: CycleFacts, periodIndex: number): string | null {
  return cycles.find(({ firstPeriod }) => firstPeriod === periodIndex)?.invoiceId ?? null;
}

/** Number of new cycles that began after an instant. */
export function cyclesSince({ cycles }: Pick<CycleFacts, 'cycles'>, after: Date): number {
  return cycles.slice(1).filter(({ anchor }) => anchor > after).length;
}

/** True if both prices have periods of the same length. */
export function isSameInterval(a: Recurrence, b: Recurrence): boolean {
  return a.billingInterval === b.billingInterval && a.intervalCount === b.intervalCount;
}

type BilledFacts = CycleFacts & { readonly periodIndex: number | null };

/** Ends the running cycle at an instant of its running period, which is its last one. */
export function endCycle<State extends BilledFacts>(subscription: State, at: Date): State {
  const { periodIndex } = subscription;
  if (periodIndex === null) return subscription;
  const cycles = cyclesOf(subscription).map((cycle) =>
    cycle.end === null ? { ...cycle, end: { lastPeriod: periodIndex, at } } : cycle,
  );
  return { ...subscription, cycles };
}

/**
 * Begins a cycle with the period after the running one, or with period 0 before the first billed
 * one. The subscription has not entered that period.
 */
export function beginCycle<State extends BilledFacts>(
  subscription: State,
  {
    at,
    items,
    invoiceId,
  }: Pick<State, 'items'> & { readonly at: Date; readonly invoiceId: string | null },
): State {
  const { periodIndex } = subscription;
  const [{ price }] = items;
  const begun = { anchor: at, ...recurrenceOf(price), invoiceId, end: null };
  if (periodIndex === null) {
    return { ...subscription, items, anchor: at, cycles: [{ firstPeriod: 0, ...begun }] };
  }
  const { cycles } = endCycle(subscription, at);
  return {
    ...subscription,
    items,
    cycles: [...cycles, { firstPeriod: periodIndex + 1, ...begun }],
  };
}
