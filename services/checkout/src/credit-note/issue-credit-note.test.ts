import fc from 'fast-check';
import { markUncollectible, payNow, voidForCaller } from '../invoice/collection';
import type { Dispute } from '../invoice/credit/credit';
import { taxOfCredit } from '../invoice/line-credit';
import { type Invoice, voidInvoice } from '../invoice/invoice';
import { reserve } from '../invoice/reservation';
import {
  all,
  amountOf,
  asked,
  bank,
  card,
  facts,
  issue,
  issueOf,
  line,
  linesOf,
  now,
  opened,
  paid,
  withPayments,
} from '../testing/credit-note';
import { aClaim, aDraft, anOpened, asInvoice } from '../testing/invoice';
import { creditUndelivered, issueChangeCredit, numberCreditNote } from './issue-credit-note';

describe('a credit note', () => {
  test('for all of a written-off invoice leaves nothing to pay', () => {
    const lost = asInvoice(markUncollectible(opened, facts).state);
    const credited = issue(lost, all);
    const claim = { ...aClaim(), callId: undefined, returnUrl: undefined, methods: facts.methods };
    expect(credited.status).toBe('UNCOLLECTIBLE');
    expect(() => bank(credited, undefined, 'a')).toThrow('Invoice is not open');
    expect(() => bank(credited, 1n, 'b')).toThrow('Invoice is not open');
    expect(() => payNow(credited, claim)).toThrow('Invoice is not open');
    const part = issue(lost, amountOf(3450n));
    expect(asInvoice(bank(part, undefined, 'c').state).status).toBe('PAID');
  });

  test('M6: lowers what is owed first, and the rest goes to the balance', () => {
    const part = asInvoice(bank(opened, 2000n, 'a').state);
    const note = asked(all);
    const { state, commands } = issueOf(part, note);
    const credited = asInvoice(state);
    expect(credited).toMatchObject({ status: 'PAID', paidAt: now });
    expect(credited.creditNotes).toMatchObject([{ reduced: 1451n, toBalance: 2000n }]);
    expect(commands).toMatchObject([
      { type: 'issueCreditNote', payload: { creditNoteId: note.id } },
      { type: 'applyCollectionResult', payload: { outcome: 'SETTLED', attempt: 0 } },
    ]);
    expect(() => issue(part, all, 'REFUND')).toThrow('More than what can be refunded');
  });

  test('M4: is refunded to the card, until nothing is left', () => {
    const once = issue(issue(paid, amountOf(1000n), 'REFUND'), amountOf(1000n), 'REFUND');
    const whole = issue(once, all, 'REFUND');
    expect(whole.refunds.map(({ amount, status }) => [amount, status])).toEqual([
      [1000n, 'PENDING'],
      [1000n, 'PENDING'],
      [1451n, 'PENDING'],
    ]);
    expect(() => issue(whole, all)).toThrow('More than what is left');
    expect(() => issue(whole, amountOf(1n))).toThrow('More than what is left');
  });

  test('M5: is spread over the lines by largest remainder', () => {
    const lineItems = ['a', 'b', 'c'].map((id) => line(id, 396n));
    const { creditNotes } = issue({ ...paid, lineItems }, amountOf(1000n));
    expect(creditNotes[0]?.lines.map(({ total }) => total)).toEqual([334n, 333n, 333n]);
  });

  test('of all includes lines below 0', () => {
    const lineItems = [line('a', 1000n), line('b', -150n)];
    const { creditNotes } = issue({ ...opened, lineItems }, all);
    expect(creditNotes[0]?.lines.map(({ total }) => total)).toEqual([1000n, -150n]);
    expect(creditNotes[0]?.reduced).toBe(850n);
  });

  test('is refunded to the newest payments first, and only to those at a provider', () => {
    const first = { ...card, amount: 1000n };
    const second = { ...card, id: 'p2', number: 2, amount: 1400n, overpayment: 400n };
    const cash = { ...card, id: 'p3', number: 3, amount: 1451n, provider: 'external' };
    const refunded = issue(withPayments(first, second, cash), amountOf(1500n), 'REFUND');
    expect(refunded.refunds.map(({ paymentId, amount }) => [paymentId, amount])).toEqual([
      ['p2', 1000n],
      ['p1', 500n],
    ]);
    expect(() => issue(refunded, amountOf(501n), 'REFUND')).toThrow('can be refunded');
  });

  test.each(['OPEN', 'LOST'] as const)(
    'is not refunded to a payment whose dispute is %s',
    (status) => {
      const dispute = {
        ...{ id: 'd', paymentId: 'p1', amount: 3451n, reason: 'fraudulent', status },
        ...{ provider: 'sandbox', providerDisputeId: 'dp', evidenceDueBy: undefined },
        ...{ openedAt: now, closedAt: undefined },
      };
      const disputed = { ...paid, disputes: [dispute] };
      expect(() => issue(disputed, all, 'REFUND')).toThrow('More than what can be refunded');
      expect(issue(disputed, all, 'EXTERNAL').creditNotes).toMatchObject([{ external: 3451n }]);
      const won = { ...paid, disputes: [{ ...dispute, status: 'WON' as const }] };
      expect(issue(won, all, 'REFUND').refunds).toHaveLength(1);
    },
  );

  test('of an undelivered invoice of a deleted customer is refunded as far as possible', () => {
    const back = { ...card, id: 'p2', amount: 451n };
    const bankTook: Dispute = {
      ...{ id: 'd', paymentId: 'p2', amount: 451n, reason: 'fraudulent', status: 'OPEN' },
      ...{ provider: 'sandbox', providerDisputeId: 'dp', evidenceDueBy: undefined },
      ...{ openedAt: now, closedAt: undefined },
    };
    const invoice = { ...withPayments({ ...card, amount: 3000n }, back), disputes: [bankTook] };
    const undelivered = (isCustomerDeleted: boolean) => {
      const noteFacts = { ...facts, isCustomerDeleted, refundIdOf: () => 'refund' };
      return asInvoice(creditUndelivered(invoice, 'note', noteFacts).state);
    };
    expect(undelivered(false)).toMatchObject({ creditNotes: [{ toBalance: 3451n }], refunds: [] });
    expect(undelivered(true)).toMatchObject({
      creditNotes: [{ toBalance: 0n, external: 451n }],
      refunds: [{ id: 'refund', paymentId: 'p1', amount: 3000n, creditNoteId: 'note' }],
    });
  });

  test('is issued once for its id', () => {
    const note = asked(amountOf(1n));
    const once = issueOf(paid, note).state;
    expect(issueOf(once, note).state).toBe(once);
  });

  test('leaves an UNCOLLECTIBLE invoice as it is', () => {
    const givenUp = { ...opened, status: 'UNCOLLECTIBLE' as const };
    expect(issue(givenUp, all)).toMatchObject({ status: 'UNCOLLECTIBLE' });
  });

  test.each<[string, Invoice, string]>([
    ['of a draft', aDraft(), 'Invoice cannot be credited'],
    [
      'of a VOID invoice',
      asInvoice(voidInvoice(opened, { number: undefined, now }).state),
      'Invoice cannot be credited',
    ],
    [
      'while an attempt runs',
      anOpened({}, { kind: 'METHOD', paymentMethodId: 'm' }),
      'A payment of the invoice is in progress',
    ],
    [
      'beyond the limit of notes',
      {
        ...paid,
        creditNotes: Array.from({ length: 50 }, () => issue(paid, amountOf(1n)).creditNotes[0]!),
      },
      'Too many credit notes',
    ],
  ])('%s is refused', (_what, invoice, message) => {
    expect(() => issue(invoice, all)).toThrow(message);
  });

  test.each([
    [linesOf(['x']), '0.lineItemId: Line item not found'],
    [linesOf(['a', 1n], ['a', 1n]), '1.lineItemId: Repeated line item'],
    [linesOf(['a', 3452n]), '0.amount: More than what is left'],
  ])('of invalid lines is refused: %#', (amounts, problem) => {
    expect(() => issue(paid, amounts)).toThrow(
      expect.objectContaining({ fields: { lines: [problem] } }),
    );
  });

  test('prevents that its invoice is voided', () => {
    const part = issue(opened, amountOf(1n));
    expect(() => voidForCaller(part, now)).toThrow('Invoice has payments or credit notes');
    const { state } = voidInvoice(part, { number: undefined, now });
    expect(state).toMatchObject({ status: 'OPEN', ended: 'PAYABLE' });
  });

  test('gets its number once', () => {
    const credited = issue(paid, all);
    const creditNoteId = credited.creditNotes[0]!.id;
    const numbered = numberCreditNote(credited, { creditNoteId, number: 'CN-000001' }).state;
    expect(asInvoice(numbered).creditNotes).toMatchObject([{ number: 'CN-000001' }]);
    expect(numberCreditNote(numbered, { creditNoteId, number: 'CN-000002' }).state).toBe(numbered);
  });
});

describe('the credit note of a plan change', () => {
  const change = { changeId: 'change', round: 1 };
  const credit = { id: 'n', changeId: 'change', lines: [{ lineItemId: 'a', amount: 1000n }] };
  const reserved = asInvoice(
    reserve(paid, { ...change, credits: [{ lineItemId: 'a', amount: 1000n }] }).state,
  );
  const withIds = { ...facts, refundIdOf: () => 'r' };

  test('uses what the change has reserved', () => {
    expect(() => issue(reserved, amountOf(2452n))).toThrow('More than what is left');
    const credited = asInvoice(issueChangeCredit(reserved, credit, withIds).state);
    expect(credited.reservation).toBeUndefined();
    expect(credited.creditNotes).toMatchObject([{ reason: 'CHANGE', toBalance: 1000n }]);
    expect(issueChangeCredit(credited, credit, withIds).state).toBe(credited);
  });

  test('in full credits all that was paid for a change that came too late', () => {
    const lineItems = [line('a', 4451n), line('b', -1000n)];
    const { state } = issueChangeCredit(
      { ...paid, lineItems },
      { ...credit, lines: 'ALL' },
      withIds,
    );
    const credited = asInvoice(state);
    expect(credited.creditNotes).toMatchObject([{ reason: 'CHANGE', toBalance: 3451n }]);
    expect(credited.creditNotes[0]?.lines.map(({ total }) => total)).toEqual([4451n, -1000n]);
    expect(issueChangeCredit(credited, { ...credit, lines: 'ALL' }, withIds).state).toBe(credited);
  });

  test('in full credits nothing where credits of amounts have left lines of opposite signs', () => {
    const lineItems = [line('a', 4451n), line('b', -1000n)];
    const credited = issue({ ...paid, lineItems }, amountOf(3451n));
    expect(issueChangeCredit(credited, { ...credit, lines: 'ALL' }, withIds).state).toBe(credited);
  });

  const large: Invoice = { ...paid, lineItems: [line('a', 100_000n)] };
  const credits = [{ lineItemId: 'a', amount: 1000n }];
  const ofChange = (changeId: string) => ({ changeId, round: 1, credits });

  test('has room on an invoice with all the notes that callers may issue', () => {
    let full = large;
    for (let count = 1; count <= 50; count += 1) full = issue(full, amountOf(1n));
    expect(() => issue(full, amountOf(1n))).toThrow('Too many credit notes');
    const held = asInvoice(reserve(full, ofChange('change')).state);
    expect(asInvoice(issueChangeCredit(held, credit, withIds).state).creditNotes).toHaveLength(51);
  });

  test('of the 51st change is refused before the change is stored, and callers have room', () => {
    let full = large;
    for (let count = 1; count <= 50; count += 1) {
      const one = { ...credit, id: `n${String(count)}`, changeId: String(count) };
      const held = asInvoice(reserve(full, ofChange(one.changeId)).state);
      full = asInvoice(issueChangeCredit(held, one, withIds).state);
    }
    expect(() => reserve(full, ofChange('other'))).toThrow('Too many credit notes');
    expect(issue(full, amountOf(1n)).creditNotes).toHaveLength(51);
  });

  test('leaves out what is left no more, and a VOID invoice', () => {
    const whole = issue(paid, all);
    expect(issueChangeCredit(whole, credit, withIds).state).toBe(whole);
    const gone = voidInvoice(opened, { number: undefined, now }).state;
    expect(issueChangeCredit(gone, credit, withIds).state).toBe(gone);
  });
});

describe('the tax of credits', () => {
  test.each([
    ['M4', { total: 3451n, taxAmount: 551n }, [1000n, 1000n, 1451n], [160n, 159n, 232n]],
    ['M15', { total: 29631n, taxAmount: 4731n }, [10710n], [1710n]],
    ['a line below 0', { total: -178n, taxAmount: -28n }, [-178n], [-28n]],
    ['a line of 0', { total: 0n, taxAmount: 0n }, [0n], [0n]],
  ])('%s', (_name, taxed, amounts, taxes) => {
    let before = 0n;
    const found = amounts.map((amount) => {
      const tax = taxOfCredit(taxed, { before, amount });
      before += amount;
      return tax;
    });
    expect(found).toEqual(taxes);
  });

  test('sums to the tax of the line, in credits of any size', () => {
    const shares = fc.array(fc.bigInt({ min: 1n, max: 10_000n }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(shares, fc.nat({ max: 10_000 }), (amounts, permille) => {
        const total = amounts.reduce((sum, amount) => sum + amount, 0n);
        const taxAmount = (total * BigInt(permille)) / 20_000n;
        let [before, tax] = [0n, 0n];
        for (const amount of amounts) {
          const part = taxOfCredit({ total, taxAmount }, { before, amount });
          expect(part >= 0n && part <= amount).toBe(true);
          before += amount;
          tax += part;
        }
        expect(tax).toBe(taxAmount);
      }),
    );
  });
});
