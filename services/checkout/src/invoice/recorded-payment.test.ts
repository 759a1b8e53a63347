import { type Transition, unchanged } from '@billing/kernel/transition';
import { anOpened, aClaim, asInvoice, aLineItem, savedMethod } from '../testing/invoice';
import { balanceProvider } from './attempt';
import {
  collectWhenDue,
  endCollection,
  markUncollectible,
  recordResult,
  voidForCaller,
} from './collection';
import { type Invoice, type InvoiceRecord, outstandingOf, voidInvoice } from './invoice';
import { claimBalance, recordExternal } from './recorded-payment';
import { settleLate } from '../collection/late-payment';
import { declined } from '../provider/port/decline';

const now = new Date('2026-01-20T00:00:00.000Z');
const opened = (amount = 3451n) =>
  anOpened({ collectionMethod: 'SEND_INVOICE', lineItems: [aLineItem({ amount })] });
const methods = { methodId: undefined };

function recordingOf(amount: bigint | undefined, callId?: string) {
  const details = {
    method: 'BANK_TRANSFER',
    reference: 'Statement 7',
    receivedAt: now,
    metadata: { 'a.b': 1 },
  } as const;
  return { callId, amount, details, methods, now };
}

function record(invoice: InvoiceRecord, amount?: bigint, callId?: string) {
  const paymentIdOf = (number: number) => `payment ${String(number)}`;
  return recordExternal(invoice, { ...recordingOf(amount, callId), paymentIdOf });
}

function stateOf({ state }: Transition<InvoiceRecord>): Invoice {
  return asInvoice(state);
}

function commandsOf({ commands }: Transition<InvoiceRecord>) {
  return commands.map(({ type, payload }) => [type, payload.outcome ?? payload.paymentId]);
}

describe('an external payment', () => {
  test('of a part leaves status and dates, and reports nothing', () => {
    const before = opened();
    const part = record(before, 2000n);
    expect(stateOf(part)).toMatchObject({ status: 'OPEN', collectAt: before.collectAt });
    expect(outstandingOf(stateOf(part))).toBe(1451n);
    expect(part.commands).toEqual([]);
  });

  test.each([
    [undefined, 1451n, 0n],
    [1451n, 1451n, 0n],
    [2000n, 2000n, 549n],
  ])('of %s after 2000 pays the rest; what exceeds it is an overpayment', (asked, amount, over) => {
    const paid = record(stateOf(record(opened(), 2000n)), asked);
    expect(stateOf(paid)).toMatchObject({ status: 'PAID', paidAt: now, collectAt: undefined });
    expect(stateOf(paid).payments.at(-1)).toMatchObject({ number: 2, amount, overpayment: over });
    expect(outstandingOf(stateOf(paid))).toBe(0n);
    expect(commandsOf(paid)).toEqual([
      ...(over > 0n ? [['creditOverpayment', 'payment 2']] : []),
      ['applyCollectionResult', 'SUCCEEDED'],
    ]);
  });

  test('of one call is recorded once, and again by another call', () => {
    const first = stateOf(record(opened(), 1000n, 'call'));
    expect(record(first, 1000n, 'call').state).toBe(first);
    expect(outstandingOf(stateOf(record(first, 1000n, 'other')))).toBe(1451n);
  });

  test('counts as an attempt: a failed charge before it has the number before', () => {
    const charged = anOpened({}, savedMethod);
    const outcome = declined('card_declined', 'charge');
    const facts = { claimedAt: now, methods, provider: 'sandbox', retryDays: [3, 7, 14] };
    const failed = recordResult(charged, {
      ...{ attemptNumber: 1, paymentId: 'one', outcome, now },
      ...facts,
    });
    const paid = record(failed.state);
    expect(paid.commands).toMatchObject([
      { type: 'applyCollectionResult', payload: { outcome: 'SUCCEEDED', attempt: 2 } },
    ]);
    expect(stateOf(paid)).toMatchObject({ retriesLeft: [], lastPaymentError: undefined });
  });

  test('of a written-off invoice is reported once the invoice is paid', () => {
    const lost = markUncollectible(opened(), { methods, now });
    expect(commandsOf(lost)).toEqual([['applyCollectionResult', 'WRITTEN_OFF']]);
    const part = record(lost.state, 1n);
    expect(stateOf(part).status).toBe('UNCOLLECTIBLE');
    const paid = record(part.state);
    expect(part.commands).toEqual([]);
    expect(stateOf(paid).status).toBe('PAID');
    expect(commandsOf(paid)).toEqual([['applyCollectionResult', 'SUCCEEDED']]);
  });

  test('of a written-off invoice is possible after the call was repeated', () => {
    const lost = markUncollectible(opened(), { methods, now, callId: 'call' });
    const again = { methods, now: new Date(now.getTime() + 1), callId: 'call' };
    expect(markUncollectible(lost.state, again)).toEqual(unchanged(lost.state));
    for (const callId of ['other', undefined]) {
      expect(() => markUncollectible(lost.state, { ...again, callId })).toThrow('not open');
    }
    expect(stateOf(record(lost.state)).status).toBe('PAID');
  });

  test('after a due date that the scanner has not seen yet is reported after it', () => {
    const late = { ...recordingOf(undefined), now: new Date('2026-03-01T00:00:00.000Z') };
    const paid = recordExternal(opened(), { ...late, paymentIdOf: String });
    expect(commandsOf(paid)).toEqual([
      ['applyCollectionResult', 'OVERDUE'],
      ['applyCollectionResult', 'SUCCEEDED'],
    ]);
  });

  test('is refused while an attempt runs, for ended invoices, and after 100 payments', () => {
    const running = anOpened({}, savedMethod);
    expect(() => record(running)).toThrow('A payment of the invoice is in progress');
    const voided = voidForCaller(opened(), now).state;
    expect(() => record(voided)).toThrow('Invoice is not open');
    const many = Array.from({ length: 100 }).reduce<InvoiceRecord>(
      (invoice) => record(invoice, 1n).state,
      opened(),
    );
    expect(() => record(many, 1n)).toThrow('Too many payments');
  });
});

describe('a payment from the balance', () => {
  const claim = (invoice: InvoiceRecord, amount: bigint | undefined, balance: bigint) =>
    claimBalance(invoice, { ...recordingOf(amount), balance, claimedAt: now });

  test.each([
    [undefined, 549n, 549n],
    [undefined, 5000n, 3451n],
    [1n, 549n, 1n],
  ])('of %s takes the slot; the balance holds %s', (asked, balance, amount) => {
    expect(stateOf(claim(opened(), asked, balance)).attempt).toMatchObject({
      source: { kind: 'BALANCE', amount },
      provider: balanceProvider,
      status: 'PENDING',
      recorded: { reference: 'Statement 7' },
    });
  });

  test('is refused beyond what is outstanding and beyond the balance', () => {
    expect(() => claim(opened(), 3452n, 9999n)).toThrow('Invalid request');
    expect(() => claim(opened(), 550n, 549n)).toThrow('Balance is too low');
    expect(() => claim(opened(), undefined, 0n)).toThrow('Balance is too low');
  });

  test('that fails because the balance was used up leaves the invoice as it was', () => {
    const before = opened();
    const claimed = claim(before, 549n, 549n).state;
    const facts = { claimedAt: now, methods, provider: 'sandbox', retryDays: [3, 7, 14] };
    const outcome = declined('balance_too_low', undefined);
    const failed = recordResult(claimed, {
      ...{ attemptNumber: 1, paymentId: 'one', outcome, now },
      ...facts,
    });
    expect(failed.commands).toEqual([]);
    expect(stateOf(failed)).toMatchObject({
      ...{ status: 'OPEN', attempt: undefined, lastPaymentError: undefined },
      collectAt: before.collectAt,
      payments: [{ status: 'FAILED', failureCode: 'balance_too_low', amount: 549n }],
    });
  });

  test('of a part on an invoice to be written off ends with the loss of the rest', () => {
    const claimed = claim(opened(), 549n, 549n).state;
    const ended = endCollection(claimed, {
      writeOff: true,
      retryDays: [],
      number: undefined,
      now,
    }).state;
    expect(stateOf({ state: ended, events: [], commands: [] }).status).toBe('OPEN');
    const facts = { claimedAt: now, methods, provider: 'sandbox', retryDays: [3, 7, 14] };
    const outcome = { status: 'SUCCEEDED', providerPaymentId: 'entry' } as const;
    const paid = recordResult(ended, {
      ...{ attemptNumber: 1, paymentId: 'one', outcome, now },
      ...facts,
    });
    expect(stateOf(paid).status).toBe('UNCOLLECTIBLE');
    expect(outstandingOf(stateOf(paid))).toBe(2902n);
  });
});

describe('an invoice with a part payment', () => {
  const part = stateOf(record(opened(), 2000n));

  test('is charged what is outstanding', () => {
    const dunned = anOpened({ lineItems: [aLineItem({ amount: 3451n })] });
    const rest = record(dunned, 2000n);
    const dueAt = dunned.collectAt ?? now;
    const claimed = collectWhenDue(rest.state, aClaim({ source: savedMethod, now: dueAt })).state;
    const outcome = { status: 'SUCCEEDED', providerPaymentId: 'charge' } as const;
    const facts = { claimedAt: now, methods, provider: 'sandbox', retryDays: [3, 7, 14] };
    const paid = recordResult(claimed, {
      ...{ attemptNumber: 2, paymentId: 'two', outcome, now },
      ...facts,
    });
    expect(stateOf(paid)).toMatchObject({ status: 'PAID', payments: [{}, { amount: 1451n }] });
  });

  test('cannot be voided by a caller', () => {
    expect(() => voidForCaller(part, now)).toThrow('Invoice has payments or credit notes');
  });

  test('that was sent stays payable and due when its subscription ends at once', () => {
    const { collectAt } = part;
    expect(collectAt).toBeDefined();
    const { state, commands } = voidInvoice(part, { number: undefined, now });
    expect(commands).toEqual([]);
    expect(state).toMatchObject({ status: 'OPEN', collectAt, ended: 'PAYABLE' });
    expect(voidInvoice(state, { number: undefined, now }).state).toBe(state);
  });

  test('credits what a payment pays twice that is found to have succeeded late', () => {
    const charged = anOpened({ lineItems: [aLineItem({ amount: 3451n })] }, savedMethod);
    const facts = { claimedAt: now, methods, provider: 'sandbox', retryDays: [3, 7, 14] };
    const outcome = declined('card_declined', 'charge');
    const failed = recordResult(charged, {
      ...{ attemptNumber: 1, paymentId: 'one', outcome, now },
      ...facts,
    });
    const settled = settleLate(record(failed.state, 2000n).state, { number: 1, methods, now });
    expect(stateOf(settled)).toMatchObject({
      status: 'PAID',
      payments: [{ status: 'SUCCEEDED', amount: 3451n, overpayment: 2000n }, { amount: 2000n }],
    });
    expect(commandsOf(settled)).toContainEqual(['creditOverpayment', 'one']);
  });
});
