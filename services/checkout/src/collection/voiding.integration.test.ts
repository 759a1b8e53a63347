import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { adjustmentOf } from '../balance/balance';
import { draft } from '../draft/draft';
import type { Invoice } from '../invoice/invoice';
import { noProvider } from '../provider/no-provider';
import { aNewInvoice } from '../testing/invoice';
import { advancingClock, inParallel, openReplicas, type Replicas } from '../testing/store';
import { invoiceWorkers } from './workers';

let replicas: Replicas;
let replica: Replicas['replica'];

beforeAll(async () => {
  replicas = await openReplicas();
  ({ replica } = replicas);
});

afterAll(() => replicas.close());

describe('voiding', () => {
  const holderOf = ({ id, subscriptionId, customerId, currency }: Invoice) => ({
    id,
    subscriptionId,
    customerId,
    currency,
  });

  test('an invoice that does not exist inserts a tombstone, and a late draft finds it void', async () => {
    const context = testContext();
    const invoice = draft(aNewInvoice({ id: newId() })).state;
    await replica.worker.voidDerived(holderOf(invoice), context);

    const { stored, inserted } = await replica.invoices.within(context).insert(draft(invoice));
    await replica.worker.open(invoice.id, context);

    expect(inserted).toBe(false);
    expect(stored.state).toMatchObject({ isTombstone: true, status: 'VOID' });
    const next = await replicas.insertDraft(context);
    await replica.worker.open(next, context);
    expect((await replicas.read(next, context)).number).toBe('INV-000001');
  });

  test('a draft numbers it first, and its opening then neither opens nor charges it', async () => {
    const context = testContext();
    const id = await replicas.insertDraft(context, { authorizedTransactionId: 'txn_1' });
    await replica.worker.voidDerived(holderOf(await replicas.read(id, context)), context);
    await replica.worker.open(id, context);

    expect(await replicas.read(id, context)).toMatchObject({
      status: 'VOID',
      number: 'INV-000001',
      payments: [],
    });
    expect(await replicas.charges(id)).toBe(0);
    expect(await replicas.commandsOf(id)).toEqual(['openInvoice']);
  });

  test('is refused while an attempt is in the slot, and leaves a paid invoice unchanged', async () => {
    const context = testContext();
    const id = await replicas.insertClaimed(context, 'txn_1');
    const holder = holderOf(await replicas.read(id, context));

    await expect(replica.worker.voidDerived(holder, context)).rejects.toMatchObject({
      kind: 'failed_precondition',
      reason: 'PAYMENT_IN_PROGRESS',
    });
    await replica.worker.resume(id, context);
    const { state } = await replica.worker.voidDerived(holder, context);
    expect(state.status).toBe('PAID');
  });

  test('at a request answers although its balance cannot be returned yet; the command returns it', async () => {
    const context = testContext();
    const customerId = newId();
    const { invoices, numbers, balances, methods } = replicas.aReplica();
    const owner = { customerId, currency: 'USD' } as const;
    const posting = { id: newId(), kind: 'ADJUSTMENT' } as const;
    await balances.post(owner, posting, { amountOf: adjustmentOf(549n), context });
    const id = await replicas.insertDraft(context, { customerId, balanceRound: 1 });
    await replica.worker.open(id, context);
    const { collection } = invoiceWorkers({
      ...{ invoices, numbers, methods, clock: advancingClock, retryDays: [] },
      balances: {
        amountOf: balances.amountOf.bind(balances),
        pay: balances.pay.bind(balances),
        credit: balances.credit.bind(balances),
        apply: balances.apply.bind(balances),
        giveBack: () =>
          Promise.reject(new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable')),
      },
      providerOf: () => noProvider,
      logger: { warn: () => undefined },
    });

    const { state } = await collection.voidForCaller(id, { expectedVersion: undefined }, context);

    expect(state.status).toBe('VOID');
    expect(await replicas.commandsOf(id)).toContain('returnBalance');
    expect(await balances.amountOf(owner, context)).toBe(0n);
    await replica.worker.returnBalance(state, context);
    expect(await balances.amountOf(owner, context)).toBe(549n);
  });

  test('is replayed to the call that has made it, and refused to any other', async () => {
    const context = testContext();
    const { replica } = replicas;
    const id = await replicas.insertDraft(context, { collectionMethod: 'SEND_INVOICE' });
    const { version } = await replica.worker.open(id, context);
    const call = { expectedVersion: version, callId: newId() };
    const { state } = await replica.worker.voidForCaller(id, call, context);
    expect(state.status).toBe('VOID');
    expect((await replicas.aReplica().worker.voidForCaller(id, call, context)).state).toEqual(
      state,
    );
    for (const callId of [newId(), undefined]) {
      await expect(replica.worker.voidForCaller(id, { callId }, context)).rejects.toMatchObject({
        reason: 'INVOICE_NOT_OPEN',
      });
    }
  });

  test('while the invoice opens either succeeds without a charge, or is refused and the invoice is paid', async () => {
    const context = testContext();
    const ids = await inParallel(40, () =>
      replicas.insertDraft(context, { authorizedTransactionId: `txn_${newId()}` }),
    );
    const other = replicas.aReplica();

    await inParallel(40, async (index) => {
      const holder = holderOf(await replicas.read(ids[index]!, context));
      const outcomes = await Promise.allSettled([
        replica.worker.open(holder.id, context),
        other.worker.voidDerived(holder, context),
      ]);
      const invoice = await replicas.read(holder.id, context);
      expect(['PAID', 'VOID']).toContain(invoice.status);
      expect(await replicas.charges(holder.id)).toBe(invoice.status === 'PAID' ? 1 : 0);
      if (invoice.status === 'VOID') expect(outcomes[1].status).toBe('fulfilled');
    });
  });
});
