import { DomainError } from '@billing/kernel/domain-error';
import type { LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import type {
  PreviewChangeResponse,
  PreviewCreditNote,
} from '@billing/proto/billing/subscription/v1/change_service';
import { changeSettlements } from '@billing/proto/values/subscription';
import type { CancellationInput } from '../../change/describe-cancellation';
import type { ChangeInput } from '../../change/read-wanted-change';
import { subscriptionDigest } from '../../change/sign-preview';
import type { ChangeCreditNote, SubscriptionChange } from '../../subscription/subscription-change';
import type { PlayedInvoice } from './played-checkout';
import type { Life } from './life';

/**
 * Previews a change, lets something happen, and asks for the change by the token: it is as shown,
 * or refused, and then nothing is written. A second use is always refused.
 */
export async function changeAsShown(
  life: Life,
  input: ChangeInput,
  happening: () => Promise<void>,
): Promise<void> {
  const { service } = life;
  const shown = await service.preview(input);
  if (shown === undefined) return;
  const seen = writtenOf(life);
  await happening();
  const before = writtenOf(life);
  const made = await service.use(input, shown.token);
  if (made instanceof DomainError) {
    expectRefused(life, made, before);
    return;
  }
  const problems = [
    ...differences(life, shown, made),
    // Other changes may move them; they are not promised.
    ...(before === seen && !isSameAmounts(shown, made) ? ['amounts a month'] : []),
  ];
  if (problems.length > 0) throw new Error(`Not as shown: ${problems.join(', ')}`);
  // A change that has failed has moved nothing.
  if (made.status === 'FAILED') return;
  const after = writtenOf(life);
  const again = await service.use(input, shown.token);
  if (!(again instanceof DomainError)) throw new Error('A token was used twice');
  expectRefused(life, again, after);
}

/** The same for an end. Returns whether it was as shown. */
export async function endAsShown(
  life: Life,
  input: CancellationInput,
  happening: () => Promise<void>,
): Promise<boolean> {
  const { service } = life;
  const shown = await service.previewEnd(input);
  if (shown === undefined) return false;
  await happening();
  const before = writtenOf(life);
  const refusal = await service.useEnd(input, shown.token);
  if (refusal !== undefined) {
    expectRefused(life, refusal, before);
    return false;
  }
  const { endedAt, changes, cancelAtPeriodEnd } = service.state;
  const isFlagged = endedAt === null && cancelAtPeriodEnd;
  const isInTime = isFlagged || endedAt?.getTime() === shown.effectiveAt?.getTime();
  if (!isInTime) throw new Error('An end is at another time than shown');
  const made = changes.cancellation?.creditNotes ?? [];
  const missing = textOf(shown.creditNotes.map(shownNote)).filter(
    (note) => !textOf(made.map(madeNote)).includes(note),
  );
  if (missing.length > 0) throw new Error(`An end does not credit ${missing.join()}`);
  return true;
}

/** All that a call could write, as text. */
function writtenOf({ service, checkout }: Life): string {
  const { state, recorded } = service;
  const documents = [...checkout.invoices.values()].map((played) => [
    ...[played.invoice.id, played.status, played.balanceApplied, played.amountPaid],
    ...[played.reservation?.changeId, played.notes.map(({ id }) => id)],
  ]);
  const changes = recorded.map(({ id, status }) => [id, status]);
  const facts = [subscriptionDigest(state), changes, documents, checkout.balance.left];
  return JSON.stringify(facts, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

function expectRefused(life: Life, refusal: DomainError, before: string): void {
  const { reason, kind, message } = refusal;
  const isKnown = reason === 'PREVIEW_STALE' || kind === 'unavailable';
  if (!isKnown) throw new Error(`A token is refused by ${reason}: ${message}`);
  if (writtenOf(life) !== before) throw new Error(`A refusal has written: ${message}`);
}

function differences(
  { checkout }: Life,
  shown: PreviewChangeResponse,
  made: SubscriptionChange,
): string[] {
  const { invoice, creditNotes, putOff } = made;
  const played = invoice === null ? undefined : checkout.invoices.get(invoice.invoiceId);
  const issued = [...checkout.invoices.values()].flatMap(({ invoice: { id }, notes }) =>
    notes
      .filter((note) => creditNotes.some((one) => one.id === note.id))
      .map(({ amount }) => [id, amount]),
  );
  const promised = shown.creditNotes.map(({ invoiceId, amount }) => [invoiceId, amount]);
  const isApplied = made.status === 'APPLIED';
  const isSame: Record<string, boolean> = {
    effectiveAt: made.effectiveAt.getTime() === shown.effectiveAt?.getTime(),
    invoice: (shown.invoice === undefined) === (played === undefined),
    creditNotes: isEqual(shown.creditNotes.map(shownNote), creditNotes.map(madeNote)),
    issued: !isApplied || isEqual(promised.toSorted(), issued.toSorted()),
    linesPutOff: isEqual(
      shown.linesPutOff.map(pricesOf),
      (putOff?.lines ?? []).map(({ amount, discountAmount }) => [amount, amount - discountAmount]),
    ),
    lines: played === undefined || isAsShown(played, shown),
  };
  return Object.entries(isSame).flatMap(([name, is]) => (is ? [] : [name]));
}

function isSameAmounts(
  shown: Pick<PreviewChangeResponse, 'monthlyAmountBefore' | 'monthlyAmountAfter'>,
  made: Pick<SubscriptionChange, 'monthlyAmountBefore' | 'monthlyAmountAfter'>,
): boolean {
  const { monthlyAmountBefore: before, monthlyAmountAfter: after } = shown;
  return before === made.monthlyAmountBefore && after === made.monthlyAmountAfter;
}

function isAsShown(
  { invoice, balanceApplied, status }: PlayedInvoice,
  { invoice: promised }: Pick<PreviewChangeResponse, 'invoice'>,
): boolean {
  const isOpened = status !== 'DRAFT' && status !== 'VOID';
  return (
    isEqual(invoice.lineItems.map(allOf), promised?.lineItems.map(allOf)) &&
    invoice.total === promised?.total &&
    (!isOpened || balanceApplied === promised.balanceApplied)
  );
}

/** What a line is priced at, and what is left of it after its discount, as its price is. */
function pricesOf({ pricedAmount, amount, total, taxAmount }: LineItem): bigint[] {
  return [pricedAmount, pricedAmount === amount ? total - taxAmount : total];
}

const allOf = ({ kind, quantity, amount, discountAmount, total, taxPercent }: LineItem) => [
  ...[kind, quantity, amount, discountAmount, total, taxPercent],
];
const shownNote = ({ invoiceId, amount, settledBy }: PreviewCreditNote) => [
  ...[invoiceId, amount, settledBy],
];
const madeNote = ({ invoiceId, amount, settledBy }: ChangeCreditNote) => [
  ...[invoiceId, amount, changeSettlements.valueOf(settledBy)],
];

function textOf(all: readonly (readonly unknown[])[]): string[] {
  return all.map((one) => one.map(String).join(' '));
}

function isEqual(
  left: readonly (readonly unknown[])[],
  right: readonly (readonly unknown[])[] | undefined,
): boolean {
  return right !== undefined && textOf(left).join('\n') === textOf(right).join('\n');
}
