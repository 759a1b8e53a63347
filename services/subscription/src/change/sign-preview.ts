import { digestOf, type PreviewClaim, type PreviewInput } from '@billing/chassis/preview-token';
import { DomainError } from '@billing/kernel/domain-error';
import type { PreviewInvoice } from '@billing/proto/billing/subscription/v1/change_service';
import type { PeriodFacts } from '../lifecycle/period-charges';
import { owedInvoices } from '../subscription/open-invoices';
import { currentPeriod, type Subscription } from '../subscription/subscription';
import type { ChangeCreditNote } from '../subscription/subscription-change';

const validForMs = 15 * 60 * 1000;

/** Refuses a preview while the next period is due, which a change would enter first. */
export function checkNothingDue(subscription: Subscription, at: Date): void {
  const end = runsUntil(subscription);
  if (end === null || end >= at) return;
  throw new DomainError('unavailable', 'RENEWAL_DUE', 'Service unavailable');
}

/**
 * Environment time until which a token is honored: 15 minutes, and no longer than what runs: the
 * period or the pause.
 */
export function validUntilOf(at: Date, subscription: Subscription): Date {
  const until = new Date(at.getTime() + validForMs);
  const end = runsUntil(subscription);
  return end !== null && end < until ? end : until;
}

/** End of the running period, or the planned end of the pause that runs; null: none. */
function runsUntil(subscription: Subscription): Date | null {
  const { phase, resumeAt } = subscription;
  return phase === 'PAUSED' ? resumeAt : currentPeriod(subscription).end;
}

/** What a preview promises of credit notes. */
export function promisedNotes(creditNotes: readonly ChangeCreditNote[]): unknown[] {
  return creditNotes.map(({ invoiceId, amount, settledBy }) => [invoiceId, amount, settledBy]);
}

/** Kind of fact that a stale preview is refused for. */
export type StaleInput = PreviewInput | 'balance';

/**
 * True unless less of the balance than shown is left. An invoice that the balance pays as a whole,
 * or none, tells of no other reason.
 */
export function isBalanceLeft(
  invoice: Pick<PreviewInvoice, 'balanceApplied' | 'total'> | undefined,
  shown: bigint,
): boolean {
  if (invoice === undefined) return true;
  const { balanceApplied, total } = invoice;
  return balanceApplied >= shown || balanceApplied === total;
}

/**
 * Digest of the invoices of the running period, to compare with a claim. Where they were not read,
 * then or now, because no period is billed, they have not moved.
 */
export function invoiceDigest(
  facts: PeriodFacts | null,
  { inputs: { invoice: shown } }: Pick<PreviewClaim, 'inputs'>,
): string {
  return facts === null || shown === digestOf(null) ? shown : digestOf(facts);
}

/**
 * With a token, a refusal for the state of a fact is that of a stale preview. Undefined for any
 * other error.
 */
export function staleInputOf(error: unknown): StaleInput | undefined {
  if (!(error instanceof DomainError)) return undefined;
  if (error.reason === 'BALANCE_MOVED') return 'balance';
  if (error.reason === 'PRODUCT_NOT_FOUND') return 'price';
  if (error.fields?.discountId !== undefined) return 'discount';
  if (error.reason.endsWith('GIVES_TAX_BACK')) return 'tax';
  const isOfState = error.kind === 'failed_precondition' && error.reason !== 'PREVIEW_STALE';
  return isOfState ? 'subscription' : undefined;
}

/**
 * With a token, each refusal of a change is that of a stale preview: the request was valid when it
 * was previewed.
 */
export function staleInputOfChange(error: unknown): StaleInput | undefined {
  const input = staleInputOf(error);
  if (!(error instanceof DomainError) || error.kind !== 'invalid_input') return input;
  if (input !== undefined) return input;
  const problems = Object.values(error.fields ?? {}).flat();
  return problems.some((problem) => priceProblem.test(problem)) ? 'price' : 'subscription';
}

// Problems of items begin with their place in the list.
const priceProblem = /^(\d+\.\w+: )?Price /;

/**
 * Digest of the state that a change or an end is made for. One that takes effect now does so in the
 * running period, and one that waits replaces the change that waits. The use of its token moves
 * that, so a second use is stale, although it may have the same result.
 */
export function madeForDigest(
  { phase, periodIndex, changes: { waiting } }: Subscription,
  { isNow }: { readonly isNow: boolean },
): string {
  return digestOf(isNow ? [phase, periodIndex] : [waiting?.id ?? null]);
}

/**
 * The same digest when a token is used; undefined if each one holds: where no change waits any
 * more, one that waits replaces none.
 */
export function presentMadeFor(
  subscription: Subscription,
  { isNow }: { readonly isNow: boolean },
): string | undefined {
  const isAlone = !isNow && subscription.changes.waiting === null;
  return isAlone ? undefined : madeForDigest(subscription, { isNow });
}

/** Digest of the state of a subscription that changes depend on. */
export function subscriptionDigest(subscription: Subscription): string {
  const { items, status, phase, periodIndex, cancelAtPeriodEnd, changes } = subscription;
  const { anchor, cycles, resumeAt, discount } = subscription;
  const { waiting, paying, period } = changes;
  const held = items.map(({ id, price, quantity }) => [id, price.id, quantity]);
  const running = [status, phase, periodIndex, anchor, cycles, cancelAtPeriodEnd, resumeAt];
  const open = owedInvoices(subscription).map(({ invoiceId }) => invoiceId);
  const putOff = changes.putOff.map(({ changeId, bill }) => [changeId, bill]);
  return digestOf([held, running, waiting?.id, paying?.id, period, discount, open, putOff]);
}
