import { examineEach, groupBy, type Invariant, together } from '../picture/invariant';
import type { ChangePicture, InvoicePicture, LinePicture, Picture } from '../picture/picture';
import { fixedPoint, one } from '../picture/fixed-point';

export const creditsAreCharged: Invariant = {
  id: 'I15',
  title: 'Σ credit notes + reservations ≤ total, Σ unused time ≤ its charge, nothing of it lapses',
  examine: (picture) => {
    const { invoices, creditNotes, changes, reserved } = picture;
    const ofInvoices = groupBy(creditNotes, ({ invoiceId }) => invoiceId);
    const held = new Map(reserved?.map(({ invoiceId, left }) => [invoiceId, left]));
    const ofSubscriptions = groupBy(invoices, ({ subscriptionId }) => subscriptionId ?? 'none');
    const changesOf = groupBy(changes, ({ subscriptionId }) => subscriptionId);
    ofSubscriptions.delete('none');
    return together(
      examineEach(invoices, ({ id, total }) => {
        const notes = ofInvoices.get(id) ?? [];
        const given = notes.reduce((sum, note) => sum + note.total, 0);
        return [
          given > total && `invoice ${id}: more is credited than its total`,
          (held.get(id) ?? 0) < 0 && `invoice ${id}: more is credited and reserved than its total`,
        ];
      }),
      examineEach([...ofSubscriptions], ([id, own]) => {
        const charged = { id, invoices: own, changes: changesOf.get(id) ?? [] };
        return [...unusedProblems(charged), ...lapseProblems(charged, picture)];
      }),
    );
  },
};

interface Charged {
  /** Of the subscription. */
  readonly id: string;
  readonly invoices: readonly InvoicePicture[];
  readonly changes: readonly ChangePicture[];
}

/** Time that a line takes back of a charge. */
interface UnusedTime {
  readonly line: LinePicture;
  /** Start of the charge, and of the unused time. */
  readonly from: string;
  readonly at: string;
  readonly amount: number;
  /** The charge. */
  readonly of: number;
  /** The whole unused time: other lines or credit notes may give a part of it. */
  readonly whole: bigint;
}

function unusedTimes({ invoices, changes }: Charged): UnusedTime[] {
  const failed = failedIds(changes);
  const valid = invoices.filter(({ id, status }) => status !== 'VOID' && !failed.has(id));
  return valid.flatMap(({ lineItems }) => lineItems.flatMap((line) => unusedTimeOf(line) ?? []));
}

function unusedTimeOf(line: LinePicture): UnusedTime | undefined {
  const { kind, periodStart: at, details, pricedAmount, amount } = line;
  const { proration } = details ?? {};
  if (kind !== 'UNUSED_TIME' || at === null || proration === undefined) return undefined;
  const { numerator, denominator, of } = proration;
  const from = new Date(Date.parse(at) + numerator - denominator).toISOString();
  const exact = (fixedPoint(of) * BigInt(numerator)) / BigInt(Math.max(denominator, 1));
  const priced = pricedAmount === 0 ? amount : pricedAmount;
  const whole = (exact + one / 2n) / one;
  return { line, from, at, amount: -priced, of: Number(of), whole };
}

function failedIds(changes: readonly ChangePicture[]): ReadonlySet<string | null> {
  return new Set(
    changes.filter(({ status }) => status !== 'APPLIED').map(({ invoiceId }) => invoiceId),
  );
}

/** Each unused time is of a charge of its item, which it takes back at most once. */
function unusedProblems(charged: Charged): (string | false)[] {
  const { id, invoices, changes } = charged;
  const applied = changes.filter(({ status }) => status === 'APPLIED');
  // Lines of checkout sessions and of earlier releases have no kind and no item.
  const charges = invoices.flatMap(({ lineItems }) =>
    lineItems.filter(({ meterId, amount }) => meterId === null && amount >= 0),
  );
  const byCharge = groupBy(unusedTimes(charged), ({ line, from, of }) =>
    [line.itemId, from, of].join(' '),
  );
  return [...byCharge.values()].map((all) => {
    const [{ line, from, of } = { line: undefined, from: '', of: 0 }] = all;
    const sources = charges.filter(
      (charge) =>
        (charge.itemId ?? line?.itemId) === line?.itemId &&
        (charge.periodStart ?? from) === from &&
        netOf(charge) === of,
    );
    // A change that gives back as much as it charges, or more, has no lines.
    const isHidden = applied.some(
      ({ effectiveAt, invoiceId }) => effectiveAt === from && invoiceId === null,
    );
    const taken = all.reduce((sum, { amount }) => sum + amount, 0);
    const name = `subscription ${id}: unused time of the charge from ${from}`;
    if (isHidden) return false;
    if (sources.length === 0) return `${name} is of no charge`;
    return taken > of * sources.length && `${name} exceeds it`;
  });
}

// Where prices include tax, what a line charges is its total.
function netOf({ amount, discountAmount, pricedAmount, total }: LinePicture): number {
  const isInclusive = pricedAmount !== 0 && pricedAmount !== amount;
  return isInclusive ? total : amount - discountAmount;
}

/**
 * What no line takes back is credited, unless notes by hand, voids or write-offs have taken the
 * room for it.
 */
function lapseProblems(charged: Charged, { creditNotes }: Picture): (string | false)[] {
  const { id, invoices, changes } = charged;
  const failed = failedIds(changes);
  const ids = new Set(invoices.map((invoice) => invoice.id));
  const own = creditNotes.filter(({ invoiceId }) => ids.has(invoiceId));
  const isByHand = own.some(({ reason = 'CHANGE' }) => reason !== 'CHANGE');
  const isClosed = invoices.some(
    ({ status, id: invoiceId }) =>
      status === 'UNCOLLECTIBLE' || (status === 'VOID' && !failed.has(invoiceId)),
  );
  if (isByHand || isClosed) return [];
  const byInstant = groupBy(unusedTimes(charged), ({ at }) => at);
  return [...byInstant].map(([at, all]) => {
    const made = new Set(
      changes.filter((one) => one.effectiveAt === at).flatMap((one) => one.creditNoteIds ?? []),
    );
    const given = own
      .filter((note) => made.has(note.id))
      .reduce((sum, { total }) => sum + total, 0);
    const byCharge = groupBy(all, ({ line, from, of }) => [line.itemId, from, of].join(' '));
    const missing = [...byCharge.values()].reduce((sum, [first, ...others]) => {
      if (first === undefined) return sum;
      const taken = [first, ...others].reduce((part, { amount }) => part + amount, 0);
      return sum + Math.max(0, Number(first.whole) - taken);
    }, 0);
    return missing > given && `subscription ${id}: unused time at ${at} has lapsed`;
  });
}
