import fc from 'fast-check';
import { unusedTime } from '@billing/kernel/proration/prorated-change';
import { sumOf } from '@billing/kernel/money';
import { currentPeriod, mainItem, type Subscription } from '../subscription/subscription';
import { totalOfLines, waitingPutOff } from '../subscription/put-off';
import type {
  ChangeCollect,
  ChangeCreditNote,
  ChangeInvoice,
  ChangeLine,
  PutOffLines,
} from '../subscription/subscription-change';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';
import { periodBill } from '../billing/bill';
import { upcomingCharge } from '../billing/upcoming-charge';
import { requestChange } from './apply-change';
import { cancel, type CancellationCall, creditsOf } from './cancellation';
import { chargesOf, type PeriodFacts, type PeriodInvoice } from './period-charges';
import { takeDueStep } from './due-steps';

const start = day('06-01');
const creditNoteIdOf = (invoiceId: string) => `note-${invoiceId}`;

function aPlan(amount: bigint): Subscription {
  const price = aPrice({ amount });
  return {
    ...aSubscription({}, { ...at(start), price }),
    openInvoices: [],
    latestInvoice: { id: invoiceIdOf(0), periodIndex: 0 },
  };
}

/** The invoice of a period that charges one item. */
function periodInvoice(subscription: Subscription, amount: bigint): PeriodInvoice {
  const itemId = mainItem(subscription).id;
  const line = { lineItemId: 'first', itemId, priced: amount, total: amount, left: amount };
  const recurring = { lineItemId: 'first', amount, discountAmount: 0n };
  return { invoiceId: invoiceIdOf(0), status: 'PAID', lines: [line], recurring };
}

function invoiceOf({ invoiceId, lines }: ChangeInvoice): PeriodInvoice {
  const positive = lines.find(({ amount }) => amount > 0n);
  return {
    invoiceId,
    status: 'PAID',
    lines: lines.map(({ itemId, amount }, index) => ({
      lineItemId: `${invoiceId}/${String(index)}`,
      itemId: amount > 0n ? itemId : null,
      ...{ priced: amount, total: amount, left: amount },
    })),
    recurring:
      positive === undefined
        ? null
        : {
            lineItemId: `${invoiceId}/${String(lines.indexOf(positive))}`,
            ...{ amount: positive.amount, discountAmount: 0n },
          },
  };
}

function withNotes(
  invoices: readonly PeriodInvoice[],
  notes: readonly ChangeCreditNote[],
): PeriodInvoice[] {
  return invoices.map((invoice) => {
    const credited = notes.find(({ invoiceId }) => invoiceId === invoice.invoiceId)?.lines ?? [];
    const lines = invoice.lines.map((line) => {
      const note = credited.find(({ lineItemId }) => lineItemId === line.lineItemId);
      return note === undefined ? line : { ...line, left: line.left - note.priced };
    });
    return { ...invoice, lines };
  });
}

interface Life {
  readonly subscription: Subscription;
  readonly invoices: readonly PeriodInvoice[];
}

/** A change of the price that is not paid first. */
function changed(
  { subscription, invoices }: Life,
  amount: bigint,
  now: Date,
  collect: ChangeCollect = 'NOW',
): Life {
  const changeId = `change-${String(subscription.changes.recentIds.length)}`;
  const price = aPrice({ id: changeId, amount });
  const product = { productId: changeId, productName: 'Other', price };
  const request = aChangeRequest({
    ...{ changeId, invoiceId: `invoice-of-${changeId}`, creditNoteIdOf, requirePayment: false },
    collect,
    wanted: { product, quantity: null, discount: null },
    facts: { periodIndex: 0, invoices },
  });
  const { state } = requestChange(subscription, request, { now });
  const made = state.changes.finished.at(-1);
  if (made === undefined) throw new Error('Nothing was changed');
  const credited = withNotes(invoices, made.creditNotes);
  const billed = made.invoice === null ? [] : [invoiceOf(made.invoice)];
  return {
    subscription: { ...state, openInvoices: [] },
    invoices: [...billed, ...credited],
  };
}

const begun = (amount: bigint): Life => {
  const subscription = aPlan(amount);
  return { subscription, invoices: [periodInvoice(subscription, amount)] };
};

const aCall = (facts: PeriodFacts, parts: Partial<CancellationCall> = {}): CancellationCall => ({
  ...{ id: 'call', instant: null, reservedRound: 1, proration: 'PRORATE', facts, creditNoteIdOf },
  ...parts,
});

function creditsAt({ subscription, invoices }: Life, instant: Date) {
  const facts = { periodIndex: 0, invoices };
  const terms = { facts, proration: 'PRORATE', creditNoteIdOf, at: instant, invoiceIdOf } as const;
  return creditsOf(subscription, terms);
}

const amountsOf = (notes: readonly ChangeCreditNote[]) =>
  notes.map(({ invoiceId, amount, settledBy }) => [invoiceId, amount, settledBy]);

describe('an end with proration', () => {
  const upgraded = changed(begun(10000n), 30000n, day('06-16'));
  const [ofChange, first] = upgraded.invoices.map(({ invoiceId }) => invoiceId);

  test('17: credits the rest of what the last change has charged', () => {
    const { kept, voided } = creditsAt(upgraded, day('06-26'));
    expect(amountsOf(kept)).toEqual([[ofChange, 5000n, 'BALANCE']]);
    expect(voided).toEqual([]);
  });

  test('18: at the instant of the change credits all that was paid for the time left', () => {
    expect(amountsOf(creditsAt(upgraded, day('06-16')).kept)).toEqual([
      [ofChange, 10000n, 'BALANCE'],
      [first, 5000n, 'BALANCE'],
    ]);
  });

  test('credits nothing at the end of the period', () => {
    expect(creditsAt(upgraded, day('07-01'))).toEqual({
      ...{ unusedLines: [], kept: [], voided: [] },
    });
  });

  test('voids an unpaid invoice of a change in place of a credit', () => {
    const [unpaid, ...others] = upgraded.invoices;
    if (unpaid === undefined) throw new Error('No invoice');
    const invoices = [{ ...unpaid, status: 'OPEN' as const }, ...others];
    const open = { invoiceId: unpaid.invoiceId, periodIndex: 0, isOfChange: true };
    const openInvoices = [{ ...open, lastResult: 1, isPastDue: true, isSettling: false }];
    const subscription = { ...upgraded.subscription, openInvoices };
    const { kept, voided } = creditsAt({ subscription, invoices }, day('06-16'));
    expect(amountsOf(kept)).toEqual([[first, 5000n, 'BALANCE']]);
    expect(amountsOf(voided)).toEqual([[ofChange, 10000n, 'AMOUNT_DUE']]);
  });

  test('lessens the unpaid invoice of the period that stays, because a part of it is paid', () => {
    const { subscription, invoices } = begun(10000n);
    const inPart = invoices.map((one) => ({ ...one, status: 'OPEN' as const, isVoidable: false }));
    const { kept, voided } = creditsAt({ subscription, invoices: inPart }, day('06-16'));
    expect(amountsOf(kept)).toEqual([[invoiceIdOf(0), 5000n, 'AMOUNT_DUE']]);
    expect(voided).toEqual([]);
  });

  test('lessens an unpaid invoice that stays: that of an earlier period', () => {
    const invoices = upgraded.invoices.map((invoice) =>
      invoice.invoiceId === first
        ? { ...invoice, invoiceId: 'earlier', status: 'OPEN' as const }
        : invoice,
    );
    const { kept, voided } = creditsAt({ ...upgraded, invoices }, day('06-16'));
    expect(amountsOf(kept)).toEqual([
      [ofChange, 10000n, 'BALANCE'],
      ['earlier', 5000n, 'AMOUNT_DUE'],
    ]);
    expect(voided).toEqual([]);
  });

  test('never credits more than was paid, and nothing lapses', () => {
    const step = fc.record({
      amount: fc.bigInt({ min: 0n, max: 10_000_000n }),
      at: fc.date({ min: start, max: day('07-01'), noInvalidDate: true }),
      collect: fc.constantFrom('NOW' as const, 'NEXT_INVOICE' as const),
    });
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10_000_000n }),
        fc.array(step, { maxLength: 4 }),
        step,
        (price, steps, end) => {
          const times = [...steps, end]
            .map((one) => one.at)
            .sort((a, b) => a.getTime() - b.getTime());
          const instant = times.at(-1) ?? start;
          const life = steps.reduce(
            (current, { amount, collect }, index) =>
              changed(current, amount, times[index] ?? start, collect),
            begun(price),
          );
          const { kept, unusedLines } = creditsAt(life, instant);
          const waiting = waitingPutOff(life.subscription).lines;
          expect(totalOfLines([...waiting, ...unusedLines]) >= 0n).toBe(true);
          for (const { invoiceId, lines } of withNotes(life.invoices, kept)) {
            expect([invoiceId, sumOf(lines.map(({ left }) => left)) >= 0n]).toEqual([
              invoiceId,
              true,
            ]);
          }
          const facts = { periodIndex: 0, invoices: life.invoices };
          const left = {
            from: instant.getTime(),
            to: currentPeriod(life.subscription).end.getTime(),
          };
          const unused = chargesOf(life.subscription, facts).map((charge) => {
            const { amount } = unusedTime(charge, left);
            expect(amount <= charge.net).toBe(true);
            return amount;
          });
          const credited = sumOf(kept.map(({ amount }) => amount));
          expect(credited - totalOfLines(unusedLines)).toBe(sumOf(unused));
        },
      ),
    );
  });
});

describe('lines that are put off', () => {
  const waiting = changed(begun(10000n), 30000n, day('06-16'), 'NEXT_INVOICE');
  const linesOf = (lines: readonly ChangeLine[]) => lines.map(({ kind, amount }) => [kind, amount]);
  const [unused, remaining] = ['UNUSED_TIME', 'REMAINING_TIME'];
  const upgrade = [
    [unused, -5000n],
    [remaining, 15000n],
  ];

  test('20: are charged by the bill of the next period', () => {
    const { changes } = waiting.subscription;
    expect(changes.finished).toMatchObject([{ status: 'APPLIED', invoice: null, creditNotes: [] }]);
    const { state } = takeDueStep(waiting.subscription, at(day('07-01')));
    expect(waitingPutOff(state).lines).toEqual([]);
    const { recurring, putOff } = periodBill(state, 1, []);
    expect(recurring.map(({ amount }) => amount)).toEqual([30000n]);
    expect(linesOf(putOff.lines)).toEqual(upgrade);
    expect(putOff.lines).toMatchObject([
      { period: { start: day('06-16'), end: day('07-01') } },
      { period: { start: day('06-16'), end: day('07-01') } },
    ]);
    expect(upcomingCharge(waiting.subscription)).toMatchObject({ subtotal: 40000n, total: 40000n });
    const later = takeDueStep(state, at(day('08-01'))).state;
    expect(periodBill(later, 2, []).putOff.lines).toEqual([]);
  });

  test('are taken along by a change that is collected now', () => {
    const { subscription } = changed(waiting, 50000n, day('06-21'));
    const [first, second] = subscription.changes.finished;
    expect(second?.takenChangeIds).toEqual([first?.id]);
    expect(linesOf(second?.invoice?.lines ?? [])).toEqual([
      ...upgrade,
      [unused, -10000n],
      [remaining, 16667n],
    ]);
    expect(subscription.changes.putOff).toEqual([]);
  });

  test('are lessened by a net credit, and what is over is credited at once', () => {
    const { subscription } = changed(waiting, 0n, day('06-21'), 'NEXT_INVOICE');
    // 10000 wait, and 10000 are unused: nothing is left to bill.
    expect(waitingPutOff(subscription).lines).toEqual([]);
    expect(subscription.changes.finished.at(-1)).toMatchObject({ invoice: null, creditNotes: [] });
    const lower = changed(waiting, 12000n, day('06-21'), 'NEXT_INVOICE');
    expect(linesOf(waitingPutOff(lower.subscription).lines)).toEqual([
      ...upgrade,
      [unused, -10000n],
      [remaining, 4000n],
    ]);
  });

  test('are billed by the end, which lessens them by unused time', () => {
    const { subscription, invoices } = waiting;
    const ended = (call?: CancellationCall) =>
      cancel(subscription, { atPeriodEnd: false, ...at(day('06-26')), ...(call && { call }) });
    expect(linesOf(putOffOn(ended().state.changes.putOff, 1))).toEqual(upgrade);
    const { state } = ended(aCall({ periodIndex: 0, invoices }));
    expect(linesOf(putOffOn(state.changes.putOff, 1))).toEqual([...upgrade, [unused, -5000n]]);
    expect(state.changes.cancellation).toBeNull();
  });

  test('are billed by a pause, also at the end of the period', () => {
    const facts = { periodIndex: 0, invoices: waiting.invoices };
    const kept = { product: null, quantity: null, discount: null };
    const pause = aChangeRequest({
      ...{ changeId: 'pause', kind: 'PAUSE', wanted: kept, proration: 'NONE', facts },
    });
    const { state } = requestChange(waiting.subscription, pause, { now: day('06-26') });
    expect(state.changes.putOff).toEqual([]);
    expect(state.changes.finished.at(-1)?.invoice).toMatchObject({
      ...{ periodStart: start, periodEnd: day('06-26'), isPaidFirst: false },
      lines: [{ amount: -5000n }, { amount: 15000n }],
    });
    const planned = requestChange(
      waiting.subscription,
      { ...pause, at: 'PERIOD_END' },
      { now: day('06-26') },
    ).state;
    const paused = takeDueStep(planned, at(day('07-01')));
    expect(paused.state).toMatchObject({ phase: 'PAUSED', changes: { putOff: [] } });
    expect(paused.state.changes.finished.at(-1)?.invoice).toMatchObject({
      ...{ invoiceId: 'pause-0', isByTime: true, periodStart: start, periodEnd: day('07-01') },
      lines: [{ amount: -5000n }, { amount: 15000n }],
    });
    expect(paused.commands.map(({ type }) => type)).toEqual(['invoiceChange', 'recordChanges']);
  });

  test('are not on the invoice after a pause that waits, because the pause bills them', () => {
    const kept = { product: null, quantity: null, discount: null };
    const pause = aChangeRequest({
      ...{ changeId: 'pause', kind: 'PAUSE', wanted: kept, proration: 'NONE', at: 'PERIOD_END' },
      resumeAt: day('08-10'),
    });
    const { state } = requestChange(waiting.subscription, pause, { now: day('06-26') });
    expect(upcomingCharge(state)).toMatchObject({ at: day('08-10'), total: 30000n });
  });
});

const putOffOn = (putOff: readonly PutOffLines[], bill: number): readonly ChangeLine[] =>
  putOff.filter((one) => one.bill === bill).flatMap(({ lines }) => lines);

describe('the cancellation with proration', () => {
  const { subscription, invoices } = changed(begun(10000n), 30000n, day('06-16'));
  const call = aCall({ periodIndex: 0, invoices });
  const now = day('06-26');
  const ended = (parts: Partial<CancellationCall> = {}) =>
    cancel(subscription, { atPeriodEnd: false, ...at(now), call: { ...call, ...parts } });

  test('stores its credits, and orders them before the bill of the usage', () => {
    const { state, commands } = ended();
    expect(state).toMatchObject({ status: 'CANCELED', endedAt: now });
    expect(state.changes.cancellation).toMatchObject({
      ...{ id: 'call', reservedRound: 1 },
      creditNotes: [{ amount: 5000n, settledBy: 'BALANCE' }],
    });
    expect(commands.map(({ type }) => type)).toEqual([
      'creditCancellation',
      'close',
      'recordChanges',
    ]);
  });

  test('ends at the instant of its preview', () => {
    const instant = day('06-25');
    expect(ended({ instant }).state).toMatchObject({ endedAt: instant, canceledAt: instant });
  });

  test('is refused in a round that was released', () => {
    const refused = [{ changeId: 'call', round: 1, until: day('07-01') }];
    const changes = { ...subscription.changes, refused };
    const cancellation = { atPeriodEnd: false, ...at(now), call };
    expect(() => cancel({ ...subscription, changes }, cancellation)).toThrow('Service unavailable');
  });

  test('gives nothing back without proration', () => {
    const { state, commands } = ended({ proration: 'NONE' });
    expect(state.changes.cancellation).toBeNull();
    expect(commands.map(({ type }) => type)).toEqual(['close', 'recordChanges']);
  });
});
