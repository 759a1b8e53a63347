import { LineItemKind } from '@billing/proto/billing/checkout/v1/checkout';
import { isWithin } from './fraction';
import { type Life, plainItem } from './life';
import type { PlayedInvoice } from './played-checkout';
import type { Recount } from './recount';

/** What is wrong with a life so far; empty: nothing. */
export function problemsOf(life: Life): string[] {
  const recount = life.counted();
  return [
    ...life.documents.flatMap(creditProblems),
    ...reservationProblems(life),
    ...chainProblems(life),
    ...periodProblems(life, recount),
    ...sumProblems(life, recount),
  ];
}

/** Credits are at most what was charged, and the balance gets at most what was paid. */
function creditProblems(played: PlayedInvoice): string[] {
  const { invoice, notes, credited, amountPaid, balanceApplied, status } = played;
  const given = notes.reduce((sum, { amount }) => sum + amount, 0n);
  const toBalance = notes.reduce((sum, note) => sum + note.toBalance, 0n);
  const isOver = invoice.lineItems.some(
    ({ id, total }) => (credited.get(id) ?? 0n) > (total > 0n ? total : 0n),
  );
  const name = `invoice ${invoice.id}`;
  return [
    ...(given > invoice.total ? [`${name}: more is credited than its total`] : []),
    ...(toBalance > amountPaid + balanceApplied ? [`${name}: more comes back than was paid`] : []),
    ...(isOver ? [`${name}: more is credited of a line than it has charged`] : []),
    ...(status === 'VOID' && given > 0n ? [`${name}: VOID and credited`] : []),
  ];
}

/** Only a change that is being paid holds a reservation. */
function reservationProblems({ documents, service }: Life): string[] {
  const { paying } = service.state.changes;
  return documents.flatMap(({ invoice, reservation }) =>
    reservation === undefined || reservation.changeId === paying?.id
      ? []
      : [`invoice ${invoice.id}: a reservation is left`],
  );
}

/** Each change begins with what the one before it has left. */
function chainProblems({ applied, firstItems, service }: Life): string[] {
  const begun = [...applied.map(({ from }) => from), service.state];
  const left = [firstItems, ...applied.map(({ to }) => to.items.map(plainItem))];
  return begun.flatMap(({ items }, index) => {
    const isKept = JSON.stringify(items.map(plainItem)) === JSON.stringify(left[index]);
    return isKept ? [] : [`change ${String(index)} begins with other items than were left`];
  });
}

/** The periods that were billed are those of the second count, each one once. */
function periodProblems({ documents, unapplied }: Life, { starts }: Recount): string[] {
  const isRecurring = ({ kind }: { readonly kind?: LineItemKind | undefined }) =>
    kind === LineItemKind.LINE_ITEM_KIND_RECURRING;
  const billed = documents
    .filter(({ invoice }) => !unapplied.has(invoice.id))
    .flatMap(({ invoice }) => invoice.lineItems.find(isRecurring) ?? [])
    .map(({ periodStart }) => periodStart?.getTime() ?? 0);
  const [found, wanted] = [billed, starts].map((all) =>
    all
      .toSorted((a, b) => a - b)
      .map((start) => new Date(start).toISOString())
      .join(),
  );
  return found === wanted ? [] : [`billed from ${found ?? ''}, counted ${wanted ?? ''}`];
}

/** All documents sum to the price of each instant times its time, within one unit a line. */
function sumProblems(life: Life, { total, roundings }: Recount): string[] {
  const { billed, unapplied, hasEnded } = life;
  const isVoided = life.documents.some(
    ({ invoice, status }) => status === 'VOID' && !unapplied.has(invoice.id),
  );
  // An end voids the unpaid invoices of its period: what they have charged is given up.
  if (isVoided) {
    if (!hasEnded) return ['an invoice of a subscription that runs is VOID'];
    return billed < 0n ? [`more comes back than is charged: ${String(billed)}`] : [];
  }
  if (isWithin(total, billed, roundings)) return [];
  const counted = (Number(total.over) / Number(total.under)).toFixed(2);
  return [`billed ${String(billed)}, counted ${counted} in ${String(roundings)} roundings`];
}
