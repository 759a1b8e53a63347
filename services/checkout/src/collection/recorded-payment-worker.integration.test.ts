import { newId } from '@billing/chassis/ids';
import { systemClock } from '@billing/chassis/clock';
import { eventually, testContext } from '@billing/chassis/testing';
import { adjustmentOf } from '../balance/balance';
import { claimBalance } from '../invoice/recorded-payment';
import type { NewInvoice } from '../draft/draft';
import { aLineItem } from '../testing/invoice';
import { inParallel, openReplicas, type Replicas } from '../testing/store';

let replicas: Replicas;

beforeAll(async () => {
  replicas = await openReplicas();
});
afterAll(() => replicas.close());

const details = {
  method: 'BANK_TRANSFER',
  reference: 'Statement 7',
  receivedAt: undefined,
  metadata: { 'a.b': 'dotted' },
} as const;
const fromBalance = { ...details, method: 'BALANCE' } as const;

type Recorded = { readonly isAccepted: boolean; readonly reason: string | undefined };

/** A customer with a sent invoice of 34.51 and a balance. */
async function aScene(balance = 0n, input: Partial<NewInvoice> = {}) {
  const { replica, aReplica, insertDraft, read } = replicas;
  const context = testContext();
  const owner = { customerId: newId(), currency: 'USD' as const };
  const aDraft = () => {
    const lineItems = [aLineItem({ amount: 3451n })];
    const sent = { collectionMethod: 'SEND_INVOICE', lineItems, ...owner, ...input } as const;
    return insertDraft(context, sent);
  };
  const anInvoice = async () => {
    const id = await aDraft();
    await replica.worker.open(id, context);
    return id;
  };
  const invoiceId = await anInvoice();
  if (balance > 0n) {
    const adjustment = { id: newId(), kind: 'ADJUSTMENT' } as const;
    await replica.balances.post(owner, adjustment, { amountOf: adjustmentOf(balance), context });
  }
  const servers = Array.from({ length: 4 }, aReplica);
  const record = async (
    amount: bigint | undefined,
    {
      of = fromBalance,
      callId = newId(),
      index = 0,
      id = invoiceId,
    }: {
      of?: typeof fromBalance | typeof details;
      callId?: string;
      index?: number;
      id?: string;
    } = {},
  ): Promise<Recorded> => {
    const { recordedPayments } = servers[index % servers.length] ?? replica;
    const call = { ...context, resourceSeed: callId };
    try {
      await recordedPayments.record({ invoiceId: id, amount, details: of }, call);
      return { isAccepted: true, reason: undefined };
    } catch (error) {
      return { isAccepted: false, reason: (error as { reason?: string }).reason };
    }
  };
  const ledger = async () => {
    const { customerId } = owner;
    const { data } = await replica.entries.list({ page: 1, perPage: 100, customerId }, context);
    return data.toReversed().map(({ kind, amount }) => [kind, amount]);
  };
  const readInvoice = () => read(invoiceId, context);
  return { context, aDraft, anInvoice, invoiceId, record, ledger, read: readInvoice };
}

test('20 external payments of 4 replicas pay an invoice once, and the excess goes to the balance', async () => {
  const { record, read, ledger } = await aScene();
  const outcomes = await inParallel(20, (index) => record(1000n, { of: details, index }));
  const refused = outcomes.filter(({ isAccepted }) => !isAccepted);
  expect(outcomes.length - refused.length).toBe(4);
  expect([...new Set(refused.map(({ reason }) => reason))]).toEqual(['INVOICE_NOT_OPEN']);
  const { status, payments } = await read();
  expect(status).toBe('PAID');
  expect(payments.map(({ number, overpayment }) => [number, overpayment])).toEqual([
    [1, 0n],
    [2, 0n],
    [3, 0n],
    [4, 549n],
  ]);
  const { receivedAt: _defaulted, ...kept } = details;
  expect(payments[0]?.recorded).toMatchObject(kept);
  // On a busy machine the answer does not wait until the excess is posted.
  await eventually(async () => {
    expect(await ledger()).toEqual([['OVERPAYMENT', 549n]]);
  });
});

test('20 repeats of one call record one payment', async () => {
  const { record, read, ledger } = await aScene();
  const callId = newId();
  const outcomes = await inParallel(20, (index) => record(4000n, { of: details, callId, index }));
  expect(outcomes.every(({ isAccepted }) => isAccepted)).toBe(true);
  expect((await read()).payments).toHaveLength(1);
  await eventually(async () => {
    expect(await ledger()).toEqual([['OVERPAYMENT', 549n]]);
  });
});

test('20 payments from one balance of 4 replicas never take more than it holds', async () => {
  const { anInvoice, invoiceId, record, ledger, context } = await aScene(549n);
  const other = await anInvoice();
  const outcomes = await inParallel(20, (index) =>
    record(300n, { index, id: index % 2 === 0 ? invoiceId : other }),
  );
  const accepted = outcomes.filter(({ isAccepted }) => isAccepted);
  expect(accepted).toHaveLength(1);
  expect(await ledger()).toEqual([
    ['ADJUSTMENT', 549n],
    ['PAYMENT', -300n],
  ]);
  const both = await Promise.all([invoiceId, other].map((id) => replicas.read(id, context)));
  const paid = both.flatMap(({ payments }) => payments);
  expect(paid.filter(({ status }) => status === 'SUCCEEDED')).toMatchObject([{ amount: 300n }]);
  expect(both.every(({ attempt, status }) => attempt === undefined && status === 'OPEN')).toBe(
    true,
  );
});

test('a payment from the balance and an invoice that opens share what the balance holds', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { aDraft, record, read, ledger, context } = await aScene(3000n);
    const draft = await aDraft();
    const open = () => replicas.aReplica().worker.open(draft, context);
    const pay = () => record(undefined);
    await Promise.all(round % 2 === 0 ? [pay(), open()] : [open(), pay()]);
    const [paid, opened] = [await read(), await replicas.read(draft, context)];
    const taken = paid.payments.filter(({ status }) => status === 'SUCCEEDED');
    expect(paid.attempt).toBeUndefined();
    expect(taken.reduce((sum, { amount }) => sum + amount, 0n) + opened.balanceApplied).toBe(3000n);
    const amounts = (await ledger()).map(([, amount]) => amount as bigint);
    expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
  }
});

test('a payment from the balance of a stopped process is finished once', async () => {
  const { context, invoiceId, read, ledger } = await aScene(5000n);
  const { replica, aReplica } = replicas;
  const recorded = { ...fromBalance, receivedAt: context.now };
  const facts = { callId: 'stopped', amount: undefined, details: recorded, balance: 5000n };
  await replica.invoices.within(context).mutate(invoiceId, (record, now) =>
    claimBalance(record, {
      ...facts,
      methods: { methodId: undefined },
      claimedAt: systemClock.now(),
      now,
    }),
  );
  await inParallel(4, () => aReplica().worker.resume(invoiceId, context));
  expect(await read()).toMatchObject({
    status: 'PAID',
    attempt: undefined,
    payments: [{ provider: 'balance', amount: 3451n, recorded: { reference: 'Statement 7' } }],
  });
  expect(await ledger()).toEqual([
    ['ADJUSTMENT', 5000n],
    ['PAYMENT', -3451n],
  ]);
});

test('a balance that was used up after the claim leaves a failed payment without an entry', async () => {
  const { context, invoiceId, record, anInvoice, read, ledger } = await aScene(549n);
  const { replica } = replicas;
  const recorded = { ...fromBalance, receivedAt: context.now };
  const facts = { callId: 'late', amount: undefined, details: recorded, balance: 549n };
  await replica.invoices.within(context).mutate(invoiceId, (invoice, now) =>
    claimBalance(invoice, {
      ...facts,
      methods: { methodId: undefined },
      claimedAt: systemClock.now(),
      now,
    }),
  );
  expect(await record(undefined, { id: await anInvoice() })).toMatchObject({ isAccepted: true });
  await replica.worker.resume(invoiceId, context);
  expect(await read()).toMatchObject({
    status: 'OPEN',
    payments: [{ status: 'FAILED', failureCode: 'balance_too_low', amount: 549n }],
  });
  expect(await record(undefined, { callId: 'late' })).toEqual({
    isAccepted: false,
    reason: 'BALANCE_TOO_LOW',
  });
  expect(await ledger()).toEqual([
    ['ADJUSTMENT', 549n],
    ['PAYMENT', -549n],
  ]);
});

test('a void and payments at one instant: the invoice is void or has payments', async () => {
  for (let run = 0; run < 5; run += 1) {
    const { context, invoiceId, record, read } = await aScene();
    const voiding = replicas
      .aReplica()
      .worker.voidForCaller(invoiceId, { expectedVersion: undefined }, context)
      .then(
        () => true,
        () => false,
      );
    const outcomes = await inParallel(4, (index) => record(100n, { of: details, index }));
    const isVoid = await voiding;
    const { status, payments } = await read();
    expect(status).toBe(isVoid ? 'VOID' : 'OPEN');
    expect(payments).toHaveLength(isVoid ? 0 : 4);
    expect(outcomes.filter(({ isAccepted }) => isAccepted)).toHaveLength(isVoid ? 0 : 4);
  }
});
