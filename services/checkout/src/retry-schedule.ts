import { only, type Transition } from '@billing/kernel/transition';
import type { Attempt } from './attempt';
import { withResult } from './collection-result';
import { isRefusedForGood, retryDates } from './dunning';
import { atRest, type Invoice, type InvoiceRecord } from './invoice';

/** What decides what follows a failure. */
export interface FailureFacts {
  readonly attempt: Attempt;
  readonly now: Date;
  /** What the next attempt that comes by itself would be made with; unknown where nothing asks for it. */
  readonly defaultMethodId: string | undefined;
  /** Days after the first failure at which the attempt is repeated. */
  readonly retryDays: readonly number[];
  /** Somebody else needed the slot: the provider was told to end the challenge, and its payer was not asked. */
  readonly isCancelled?: boolean | undefined;
}

/** Whether something has fallen due that comes by itself. */
export function isDue({ collectAt }: Pick<Invoice, 'collectAt'>, now: Date): boolean {
  return collectAt !== undefined && collectAt <= now;
}

/** Whether what is due can only be done with the slot empty: a charge, or the end. */
export function needsSlot(
  invoice: Invoice,
  { methodId, now }: { readonly methodId: string | undefined; readonly now: Date },
): boolean {
  if (!isDue(invoice, now) || invoice.collectionMethod === 'SEND_INVOICE') return false;
  return invoice.retriesLeft.length === 0 || !isRefusedForGood(invoice.payments, methodId);
}

/**
 * The invoice after a failed attempt. Only attempts of the schedule move it: the first failure begins it, the last one ends it with the
 * invoice UNCOLLECTIBLE. What is sent has no schedule, nor has what its subscription has left behind. A cancelled challenge says nothing of
 * whether the payer pays: no subscription is told.
 */
export function afterFailure(invoice: Invoice, facts: FailureFacts): Transition<InvoiceRecord> {
  const { attempt, defaultMethodId } = facts;
  if (invoice.ended === 'WRITTEN_OFF') return giveUp(invoice);
  if (facts.isCancelled === true && invoice.session === undefined) return only(invoice);
  const isScheduled = attempt.origin === 'COLLECTION' && invoice.session === undefined;
  const isCharged = invoice.collectionMethod === 'CHARGE_AUTOMATICALLY';
  const moved =
    isScheduled && isCharged && invoice.ended === undefined ? moveOn(invoice, facts) : invoice;
  if (moved === undefined) return giveUp(invoice);
  const isUseless = !isCharged || isRefusedForGood(moved.payments, defaultMethodId);
  const nextAttemptAt = isUseless ? undefined : moved.collectAt;
  return withResult(moved, { outcome: 'FAILED', attempt: attempt.number, nextAttemptAt });
}

/** Passes over a date at which a charge would be useless, or gives up after the last one. Nobody is told but of the end. */
export function passOver(invoice: Invoice): Transition<InvoiceRecord> {
  return invoice.retriesLeft.length > 0 ? only(toNextDate(invoice)) : giveUp(invoice);
}

/** Whether all dates have passed at which a charge would have been useless: a scanner is late with giving up. */
export function isGivenUpBefore(
  invoice: Invoice,
  { methodId, now }: { readonly methodId: string | undefined; readonly now: Date },
): boolean {
  if (invoice.firstFailedAt === undefined || invoice.collectAt === undefined) return false;
  const last = invoice.retriesLeft.at(-1) ?? invoice.collectAt;
  return last < now && isRefusedForGood(invoice.payments, methodId);
}

/** What is sent has reached its due date unpaid. */
export function passDueDate(invoice: Invoice): Transition<Invoice> {
  return withResult({ ...invoice, collectAt: undefined }, { outcome: 'OVERDUE', attempt: 0 });
}

/** A decision on an invoice, after the due date that has passed before it and that a scanner is late with. */
export function afterDueDate(
  invoice: Invoice,
  now: Date,
  decide: (invoice: Invoice) => Transition<InvoiceRecord>,
): Transition<InvoiceRecord> {
  const { collectionMethod, collectAt } = invoice;
  const isLate = collectionMethod === 'SEND_INVOICE' && collectAt !== undefined && collectAt < now;
  if (!isLate) return decide(invoice);
  const passed = passDueDate(invoice);
  const { state, events, commands } = decide(passed.state);
  return { state, events, commands: [...passed.commands, ...commands] };
}

/** The end of dunning. */
export function giveUp(invoice: Invoice): Transition<InvoiceRecord> {
  const uncollectible = { ...atRest(invoice), status: 'UNCOLLECTIBLE' } as const;
  return withResult(uncollectible, { outcome: 'UNCOLLECTIBLE', attempt: invoice.payments.length });
}

// Undefined after the last date.
function moveOn(invoice: Invoice, { now, retryDays }: FailureFacts): Invoice | undefined {
  const begun =
    invoice.firstFailedAt === undefined
      ? { ...invoice, firstFailedAt: now, retriesLeft: retryDates(now, retryDays) }
      : invoice;
  return begun.retriesLeft.length > 0 ? toNextDate(begun) : undefined;
}

function toNextDate(invoice: Invoice): Invoice {
  const [collectAt, ...retriesLeft] = invoice.retriesLeft;
  return { ...invoice, collectAt, retriesLeft };
}
