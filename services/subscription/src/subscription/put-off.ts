import { sumOf } from '@billing/kernel/money';
import type { Subscription } from './subscription';
import type { ChangeLine, PutOff, PutOffLines, SubscriptionChange } from './subscription-change';
import { isBilled } from './usage-billing';

/** Lines of changes on a bill, and the changes. */
export interface BilledPutOff extends PutOff {
  readonly changeIds: readonly string[];
}

export const nothingPutOff: BilledPutOff = { lines: [], discount: null, changeIds: [] };

/** Lines put off that no bill has taken yet. */
export function waitingPutOff({
  changes: { putOff },
}: Pick<Subscription, 'changes'>): BilledPutOff {
  return joined(putOff.filter(({ bill }) => bill === null));
}

/**
 * The newest line put off that charges an item; where none does, the newest of all: time that is
 * given back is taken from any of them first. Undefined: nothing is put off.
 */
export function newestPutOff(
  subscription: Subscription,
  { itemId, productId, priceId }: Pick<ChangeLine, 'itemId' | 'productId' | 'priceId'>,
): ChangeLine | undefined {
  const charges = waitingPutOff(subscription).lines.filter(({ amount }) => amount > 0n);
  const isOfItem = (line: ChangeLine) =>
    line.itemId === itemId && line.productId === productId && line.priceId === priceId;
  return charges.findLast(isOfItem) ?? charges.at(-1);
}

/** Lines put off that one of the bills takes. */
export function putOffOn(
  { changes: { putOff } }: Pick<Subscription, 'changes'>,
  bills: readonly number[],
): BilledPutOff {
  return joined(putOff.filter(({ bill }) => bill !== null && bills.includes(bill)));
}

/** Orders that a bill takes the lines put off. What earlier bills have billed is dropped. */
export function withPutOffOn(subscription: Subscription, bill: number): Subscription {
  const { changes } = subscription;
  if (changes.putOff.length === 0) return subscription;
  const putOff = changes.putOff
    // The end of the period bills again what its own invoice has billed, if that is voided.
    .filter((one) => one.bill === null || one.bill >= bill - 1 || !isBilled(subscription, one.bill))
    .map((one) => ({ ...one, bill: one.bill ?? bill }));
  return { ...subscription, changes: { ...changes, putOff } };
}

/** Lines put off after a change that takes effect. */
export function putOffAfter(
  before: readonly PutOffLines[],
  {
    id: changeId,
    putOff,
    takenChangeIds,
  }: Pick<SubscriptionChange, 'id' | 'putOff' | 'takenChangeIds'>,
): readonly PutOffLines[] {
  const kept = before.filter((one) => !takenChangeIds.includes(one.changeId));
  return putOff === null ? kept : [...kept, { changeId, ...putOff, bill: null }];
}

/** Total of lines after their discounts, without tax that is added to it. */
export function totalOfLines(lines: readonly ChangeLine[]): bigint {
  return sumOf(lines.map(({ amount, discountAmount }) => amount - discountAmount));
}

// All lines that wait are of one period, and so is their discount.
function joined(entries: readonly PutOffLines[]): BilledPutOff {
  return {
    lines: entries.flatMap(({ lines }) => lines),
    discount: entries.find(({ discount }) => discount !== null)?.discount ?? null,
    changeIds: entries.map(({ changeId }) => changeId),
  };
}
