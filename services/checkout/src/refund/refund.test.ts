import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { type Invoice, type InvoiceRecord, pay, type Payment } from '../invoice/invoice';
import type { CreditNote, Refund } from '../invoice/credit/credit';
import { refundsLookAt, refundsResumeAt } from '../invoice/refundable';
import { anOpened, asInvoice } from '../testing/invoice';
import {
  recordListed,
  recordRefund,
  refundKey,
  settleRefund,
  type Settlement,
  takeOverRefunds,
} from './refund';
import { type RefundDependencies, RefundWorker } from './refund-worker';

const now = new Date('2026-01-02T00:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const pending: Refund = {
  ...{ id: 'r', creditNoteId: 'n', paymentId: 'p', amount: 1000n, status: 'PENDING', attempt: 1 },
  ...{ failureCode: undefined, provider: 'sandbox', providerRefundId: undefined },
  ...{ replacedBy: undefined, reference: undefined, callId: undefined, lookAt: undefined },
  ...{ claimedAt: now, createdAt: now, settledAt: undefined },
};
const payment: Payment = {
  ...{ id: 'p', number: 1, amount: 2900n, provider: 'sandbox', providerPaymentId: 'ch' },
  ...{ status: 'SUCCEEDED', failureCode: undefined, decline: undefined, methodId: undefined },
  ...{ origin: 'PAYER', retry: undefined, callId: undefined, recorded: undefined },
  ...{ overpayment: 0n, createdAt: now, endedAt: now },
};
const invoice: Invoice = pay({ ...anOpened(), payments: [payment] }, now);
const note: CreditNote = {
  ...{ id: 'n', number: 'CN-000001', reason: 'OTHER', memo: undefined, metadata: {}, lines: [] },
  ...{ reduced: 0n, toBalance: 0n, external: 0n, issuedAt: now },
};
const having = (...refunds: Partial<Refund>[]): Invoice => ({
  ...{ ...invoice, creditNotes: [note] },
  refunds: refunds.map((refund) => ({ ...pending, ...refund })),
});
const failed: Partial<Refund> = { status: 'FAILED', failureCode: 'x', claimedAt: undefined };
const succeeded = { status: 'SUCCEEDED', providerRefundId: 're' } as const;
const declined = { status: 'FAILED', failureCode: 'x', providerRefundId: 're' } as const;

test.each([
  ['PENDING', succeeded, 'SUCCEEDED'],
  ['PENDING', declined, 'FAILED'],
  ['SUCCEEDED', declined, 'FAILED'],
  ['SUCCEEDED', { ...succeeded, status: 'PENDING' as const }, 'SUCCEEDED'],
  ['FAILED', succeeded, 'FAILED'],
  ['REPLACED', declined, 'REPLACED'],
] as const)('a %s refund for which the provider says %j is %s', (status, outcome, expected) => {
  const { state } = recordRefund(having({ status }), { id: 'r', attempt: 1, outcome, now });
  expect(asInvoice(state).refunds).toMatchObject([{ status: expected }]);
});

test('the outcome of an earlier try is not recorded', () => {
  const again = having({ attempt: 2 });
  expect(recordRefund(again, { id: 'r', attempt: 1, outcome: declined, now }).state).toBe(again);
});

test('a refund that was not sent is resumed after its lease, by one worker', () => {
  const unsent = having({});
  expect(refundsResumeAt(unsent)).toEqual(later(30_000));
  expect(takeOverRefunds(unsent, later(29_999)).state).toBe(unsent);
  const taken = asInvoice(takeOverRefunds(unsent, later(30_000)).state);
  expect(taken.refunds).toMatchObject([{ claimedAt: later(30_000) }]);
  expect(takeOverRefunds(taken, later(30_001)).state).toBe(taken);
});

test('a refund whose credit note has no number is not resumed; one without a note is', () => {
  const unnumbered = { ...having({}), creditNotes: [{ ...note, number: undefined }] };
  expect(refundsResumeAt(unnumbered)).toBeUndefined();
  expect(takeOverRefunds(unnumbered, later(30_000)).state).toBe(unnumbered);
  const ofNone = { ...having({ creditNoteId: undefined }), creditNotes: [] };
  expect(refundsResumeAt(ofNone)).toEqual(later(30_000));
});

test('a refund in progress at the provider is looked at hourly', () => {
  const outcome = { status: 'PENDING', providerRefundId: 're' } as const;
  const sent = asInvoice(recordRefund(having({}), { id: 'r', attempt: 1, outcome, now }).state);
  expect([refundsResumeAt(sent), refundsLookAt(sent)]).toEqual([undefined, later(3_600_000)]);
  const ended = recordRefund(sent, { id: 'r', attempt: 1, outcome: succeeded, now }).state;
  expect(refundsLookAt(asInvoice(ended))).toBeUndefined();
});

describe('a failed refund', () => {
  const settlement = (changes: Partial<Settlement> = {}): Settlement => ({
    ...{ refundId: 'r', to: 'PROVIDER', reference: 'Ref', callId: 'call' },
    ...{ now, realNow: now, ...changes },
  });

  test('is tried again with a key of its own', () => {
    const again = asInvoice(settleRefund(having(failed), settlement()).state);
    expect(again.refunds).toMatchObject([{ status: 'PENDING', attempt: 2, claimedAt: now }]);
    expect(refundKey(again.refunds[0]!)).toBe('refund:r:2');
    expect(settleRefund(again, settlement()).state).toBe(again);
  });

  test.each(['BALANCE', 'EXTERNAL'] as const)('is replaced permanently: %s', (to) => {
    const { state, commands } = settleRefund(having(failed), settlement({ to }));
    expect(asInvoice(state).refunds).toMatchObject([
      { status: 'REPLACED', replacedBy: to, reference: 'Ref', settledAt: now },
    ]);
    expect(commands.some(({ type }) => type === 'creditRefund')).toBe(to === 'BALANCE');
    expect(() => settleRefund(state, settlement({ callId: 'other' }))).toThrow('has not failed');
  });

  test('is not tried again beyond what is left of its payment', () => {
    const taken = having(failed, { id: 'other', amount: 2000n });
    expect(() => settleRefund(taken, settlement())).toThrow('More than what can be refunded');
  });

  test('without a credit note is not settled', () => {
    const made = having({ ...failed, creditNoteId: undefined });
    expect(() => settleRefund(made, settlement())).toThrow('Refund has no credit note');
  });
});

describe('the list of a provider', () => {
  const made = { key: undefined, providerRefundId: 'made', amount: 500n, outcome: succeeded };
  const listed = (record: Invoice, ...found: Parameters<typeof recordListed>[1]['found']) =>
    recordListed(record, { payment, found, idOf: (id) => `id-${id}`, now });

  test('adds a refund that was made at the provider once', () => {
    const once = asInvoice(listed(invoice, made).state);
    expect(once.refunds).toMatchObject([
      { id: 'id-made', creditNoteId: undefined, status: 'SUCCEEDED', amount: 500n },
    ]);
    expect(listed(once, made).state).toBe(once);
    const returned = asInvoice(listed(once, { ...made, outcome: declined }).state);
    expect(returned.refunds).toMatchObject([{ status: 'FAILED' }]);
  });

  test('tells the outcome of our own refund by its key', () => {
    const own = { ...made, key: 'refund:r:1', amount: 1000n };
    expect(asInvoice(listed(having({}), own).state).refunds).toMatchObject([
      { id: 'r', status: 'SUCCEEDED' },
    ]);
    const older = { ...own, key: 'refund:r:0', outcome: declined };
    const unchangedRefunds = having({});
    expect(listed(unchangedRefunds, older).state).toBe(unchangedRefunds);
  });
});

test('a refund that cannot be sent holds up no other of its invoice', async () => {
  const due = { claimedAt: undefined, lookAt: now };
  let state: InvoiceRecord = having({ ...due, id: 'broken', paymentId: 'gone' }, due);
  const worker = new RefundWorker({
    invoices: {
      within: () => ({
        get: () => Promise.resolve({ state }),
        mutate: (_id: string, decide: (record: InvoiceRecord, at: Date) => { state: Invoice }) => {
          state = decide(state, now).state;
          return Promise.resolve({ state });
        },
      }),
    },
    rows: { copy: () => Promise.resolve() },
    providerOf: () => ({ name: 'sandbox', findRefund: () => Promise.resolve(succeeded) }),
  } as unknown as RefundDependencies);
  const context = { tenant: {}, now } as unknown as CallContext;
  await expect(worker.lookWhenDue(invoice.id, context)).rejects.toThrow('has no payment');
  expect(asInvoice(state).refunds).toMatchObject([{ status: 'PENDING' }, { status: 'SUCCEEDED' }]);
});

const call = (msLeft: number) =>
  ({ tenant: {}, now, deadline: new Date(Date.now() + msLeft) }) as unknown as CallContext;

/** A worker whose provider never answers, and the errors that it has noticed. */
function waiting(stored: Invoice) {
  let state: InvoiceRecord = stored;
  const unknown: unknown[] = [];
  const worker = new RefundWorker({
    invoices: {
      within: () => ({
        get: () => Promise.resolve({ state }),
        mutate: (_id: string, decide: (record: InvoiceRecord, at: Date) => { state: Invoice }) => {
          state = decide(state, now).state;
          return Promise.resolve({ state });
        },
      }),
    },
    rows: { copy: () => Promise.resolve(), invoiceOf: () => Promise.resolve(stored.id) },
    providerOf: () => ({ name: 'sandbox', findRefund: () => new Promise(() => undefined) }),
    balances: { replaceRefund: () => new Promise(() => undefined) },
    isCustomerDeleted: () => Promise.resolve(false),
    clock: systemClock,
    onUnknown: (error: unknown) => unknown.push(error),
  } as unknown as RefundDependencies);
  return { worker, unknown };
}

describe('a provider that does not answer', () => {
  test('does not hold up the call that has issued the refund', async () => {
    const { worker, unknown } = waiting(having({}));
    const until = new Date(Date.now() + 20);
    const stored = { state: having({}) } as Stored<InvoiceRecord>;
    const { state } = await worker.sendNew(stored, { isNew: () => true, until }, call(10_000));
    expect(asInvoice(state).refunds).toMatchObject([{ status: 'PENDING', claimedAt: now }]);
    expect(unknown).toMatchObject([{ reason: 'STILL_UNDER_WAY' }]);
  });

  test('does not hold up the settlement of a failed refund', async () => {
    const { worker, unknown } = waiting(having(failed));
    const settlement = {
      refundId: 'r',
      to: 'PROVIDER',
      reference: undefined,
      callId: 'c',
    } as const;
    const { state } = await worker.settle(settlement, call(2_020));
    expect(asInvoice(state).refunds).toMatchObject([{ status: 'PENDING', attempt: 2 }]);
    expect(unknown).toHaveLength(1);
  });
});

test('a balance that does not answer does not hold up the settlement of a refund', async () => {
  const { worker } = waiting(having(failed));
  const settlement = { refundId: 'r', to: 'BALANCE', reference: undefined, callId: 'c' } as const;
  const { state } = await worker.settle(settlement, call(2_020));
  expect(asInvoice(state).refunds).toMatchObject([{ status: 'REPLACED', replacedBy: 'BALANCE' }]);
});
