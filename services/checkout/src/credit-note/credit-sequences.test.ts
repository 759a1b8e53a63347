import fc from 'fast-check';
import { DomainError } from '@billing/kernel/domain-error';
import { voidForCaller } from '../invoice/collection';
import {
  amountCredited,
  amountReduced,
  type Dispute,
  type Refund,
  splitOf,
  totalOfNote,
} from '../invoice/credit/credit';
import { leftOfInvoice } from '../invoice/line-credit';
import { type Invoice, outstandingOf, totalOf } from '../invoice/invoice';
import { recordDispute } from '../refund/dispute';
import { recordListed, recordRefund, refundKey, settleRefund } from '../refund/refund';
import {
  all,
  amountOf,
  bank,
  card,
  issue,
  line,
  linesOf,
  now,
  opened,
  paid,
} from '../testing/credit-note';
import { asInvoice } from '../testing/invoice';
import type { NewCreditNote } from './issue-credit-note';

const vat = {
  ...({ reason: 'STANDARD', name: 'VAT', country: 'DE', state: null, percent: '19' } as const),
  pricedDiscount: 0n,
};
const taxedLine = (id: string, amount: bigint, tax: bigint) => ({
  ...line(id, amount),
  tax: { ...vat, pricedAmount: amount, amount: tax },
});
/** 19 % of 20.00, rounded as a whole. */
const taxed: Invoice = {
  ...opened,
  lineItems: [
    taxedLine('a', 1333n, 253n),
    taxedLine('b', 1000n, 190n),
    taxedLine('c', -333n, -63n),
  ],
};

test('partial credits of taxed lines end at the total and the tax of each line', () => {
  const part = fc.bigInt({ min: 1n, max: 3000n });
  const credits = fc.oneof(
    part.map(amountOf),
    fc.tuple(fc.constantFrom('a', 'b'), part).map(([id, amount]) => linesOf([id, amount])),
  );
  fc.assert(
    fc.property(fc.array(credits, { maxLength: 12 }), (asks) => {
      const credited = [...asks, all].reduce((invoice, amounts) => {
        const next = unlessRefused(() => issue(invoice, amounts)) ?? invoice;
        for (const { lines } of next.creditNotes) expect(lines.length).toBeGreaterThan(0);
        return next;
      }, taxed);
      expect(leftOfInvoice(credited)).toBe(0n);
      for (const { id, amount, tax } of taxed.lineItems) {
        const own = credited.creditNotes
          .flatMap(({ lines }) => lines)
          .filter(({ lineItemId }) => lineItemId === id);
        const sum = (field: 'total' | 'taxAmount') =>
          own.reduce((left, one) => left + one[field], 0n);
        expect([sum('total'), sum('taxAmount')]).toEqual([
          amount + (tax?.amount ?? 0n),
          tax?.amount,
        ]);
      }
    }),
    { examples: [[[amountOf(2197n), linesOf(['a', 183n])]]] },
  );
});

test('a credit of all that is left takes what is left of every line', () => {
  const credited = [amountOf(2197n), linesOf(['a', 183n])].reduce(
    (invoice: Invoice, amounts) => issue(invoice, amounts),
    taxed,
  );
  expect(credited.creditNotes.at(-1)?.lines).toEqual([
    { lineItemId: 'a', total: 331n, taxAmount: 53n },
    { lineItemId: 'b', total: 248n, taxAmount: 40n },
    { lineItemId: 'c', total: -396n, taxAmount: -63n },
  ]);
});

/** Undefined if the rules refuse; any other error is a fault. */
function unlessRefused<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

type Turn =
  | { readonly act: 'bank'; readonly amount: bigint }
  | {
      readonly act: 'credit';
      readonly amount: bigint | undefined;
      readonly settle: NewCreditNote['settle'];
    }
  | { readonly act: 'void' }
  | {
      readonly act: 'refund';
      readonly index: number;
      readonly status: 'SUCCEEDED' | 'FAILED' | 'PENDING';
    }
  | {
      readonly act: 'settle';
      readonly index: number;
      readonly to: 'PROVIDER' | 'BALANCE' | 'EXTERNAL';
    }
  | { readonly act: 'atProvider'; readonly amount: bigint }
  | {
      readonly act: 'dispute';
      readonly index: number;
      readonly amount: bigint;
      readonly status: Dispute['status'];
    };

const amount = fc.bigInt({ min: 1n, max: 4000n });
const index = fc.nat({ max: 5 });
const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('bank' as const), amount }),
    fc.record({
      act: fc.constant('credit' as const),
      amount: fc.option(amount, { nil: undefined }),
      settle: fc.constantFrom('BALANCE' as const, 'REFUND' as const, 'EXTERNAL' as const),
    }),
    fc.constant({ act: 'void' as const }),
    fc.record({
      act: fc.constant('refund' as const),
      index,
      status: fc.constantFrom('SUCCEEDED' as const, 'FAILED' as const, 'PENDING' as const),
    }),
    fc.record({
      act: fc.constant('settle' as const),
      index,
      to: fc.constantFrom('PROVIDER' as const, 'BALANCE' as const, 'EXTERNAL' as const),
    }),
    fc.record({ act: fc.constant('atProvider' as const), amount }),
    fc.record({
      act: fc.constant('dispute' as const),
      index: fc.nat({ max: 1 }),
      amount,
      status: fc.constantFrom<Dispute['status']>('OPEN', 'WON', 'LOST'),
    }),
  ),
  { maxLength: 30 },
);

/** Does one turn; a refusal changes nothing. */
function take(invoice: Invoice, turn: Turn, step: number): Invoice {
  return unlessRefused(() => taken(invoice, turn, step)) ?? invoice;
}

function taken(invoice: Invoice, turn: Turn, step: number): Invoice {
  const at = (found: readonly Refund[], position: number) => found[position % found.length];
  switch (turn.act) {
    case 'bank':
      return asInvoice(bank(invoice, turn.amount, `call-${String(step)}`).state);
    case 'credit':
      return issue(invoice, turn.amount === undefined ? all : amountOf(turn.amount), turn.settle);
    case 'void':
      return asInvoice(voidForCaller(invoice, now).state);
    case 'refund': {
      const refund = at(invoice.refunds, turn.index);
      if (refund === undefined) return invoice;
      const outcome =
        turn.status === 'FAILED'
          ? { status: turn.status, failureCode: 'x', providerRefundId: undefined }
          : { status: turn.status, providerRefundId: refundKey(refund) };
      return asInvoice(recordRefund(invoice, { ...refund, outcome, now }).state);
    }
    case 'settle': {
      const refund = at(invoice.refunds, turn.index);
      if (refund === undefined) return invoice;
      const { id: refundId } = refund;
      const settlement = { refundId, to: turn.to, reference: undefined, callId: undefined };
      return asInvoice(settleRefund(invoice, { ...settlement, now, realNow: now }).state);
    }
    case 'atProvider': {
      const providerRefundId = `made-${String(step)}`;
      const outcome = { status: 'SUCCEEDED', providerRefundId } as const;
      const found = [{ key: undefined, providerRefundId, amount: turn.amount, outcome }];
      const made = { payment: card, found, idOf: (id: string) => id, now };
      return asInvoice(recordListed(invoice, made).state);
    }
    case 'dispute': {
      const id = `dispute-${String(turn.index)}`;
      const found = {
        ...{ providerDisputeId: id, providerPaymentId: card.providerPaymentId ?? '' },
        ...{ amount: turn.amount, status: turn.status },
        ...{ reason: 'fraudulent', evidenceDueBy: undefined },
      };
      return asInvoice(recordDispute(invoice, { id, payment: card, found, now }).state);
    }
  }
}

test.each<[string, Invoice]>([
  ['owed', opened],
  ['paid by card', paid],
  ['taxed', taxed],
  ['partly paid by card', { ...opened, payments: [{ ...card, amount: 1500n }] }],
])(
  'payments, credits, refunds, disputes and voids of an invoice that was %s add up',
  (_case, start) => {
    fc.assert(
      fc.property(turns, (all) => {
        let invoice = start;
        all.forEach((turn, step) => {
          const before = invoice;
          invoice = take(invoice, turn, step);
          // I19
          if (invoice.status === 'OPEN') expect(outstandingOf(invoice)).toBeGreaterThan(0n);
          if (invoice.status === 'PAID') expect(outstandingOf(invoice)).toBe(0n);
          // I21
          expect(leftOfInvoice(invoice)).toBe(totalOf(invoice) - amountCredited(invoice));
          expect(leftOfInvoice(invoice)).toBeGreaterThanOrEqual(0n);
          expect(amountReduced(invoice)).toBeLessThanOrEqual(amountCredited(invoice));
          for (const note of invoice.creditNotes) {
            const { reduced, toBalance, refunded, external, unsettled } = splitOf(note, invoice);
            expect(reduced + toBalance + refunded + external + unsettled).toBe(totalOfNote(note));
          }
          if (turn.act === 'atProvider') return;
          // I22: nothing of ours takes more from a payment than is left of it.
          const grew = heldOf(invoice) > heldOf(before);
          if (grew) expect(heldOf(invoice)).toBeLessThanOrEqual(invoice.payments[0]!.amount);
          // Nor from a payment that its bank may take, or has taken.
          const isDisputed = before.disputes.some(({ status }) => status !== 'WON');
          expect(grew && isDisputed).toBe(false);
          // A dispute changes neither what is owed nor what can be credited.
          if (turn.act === 'dispute') {
            expect({ ...invoice, disputes: [] }).toEqual({ ...before, disputes: [] });
          }
        });
      }),
    );
  },
);

function heldOf({ refunds }: Invoice): bigint {
  return refunds
    .filter(({ status }) => status === 'PENDING' || status === 'SUCCEEDED')
    .reduce((sum, refund) => sum + refund.amount, 0n);
}
