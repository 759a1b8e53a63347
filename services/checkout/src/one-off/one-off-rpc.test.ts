import { testContext } from '@billing/chassis/testing';
import type { Transition } from '@billing/kernel/transition';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { systemClock } from '@billing/chassis/clock';
import type { InvoiceRecord } from '../invoice/invoice';
import { offSettings } from '../seller/billing-settings';
import { aNewInvoice } from '../testing/invoice';
import { createOneOff } from './one-off-invoice';
import { type OneOffDependencies, oneOffHandlers } from './one-off-rpc';

test('a finalization whose wait cannot read the database is answered as it was stored', async () => {
  const terms = { netDays: undefined, memo: undefined, purchaseOrder: undefined, metadata: {} };
  const { state } = createOneOff({
    ...aNewInvoice(),
    oneOff: { ...terms, finalizedAt: undefined },
  });
  const at = systemClock.now();
  const context = testContext();
  const facts = { createdAt: at, updatedAt: at, tenant: context.tenant };
  type Rule = (record: InvoiceRecord, now: Date) => Transition<InvoiceRecord>;
  const mutate = jest.fn((_id: string, rule: Rule) =>
    Promise.resolve({ ...facts, state: rule(state, systemClock.now()).state, version: 2 }),
  );
  const warn = jest.fn();
  const settings = offSettings('environment');
  const dependencies = {
    invoices: {
      within: () => ({ get: () => Promise.resolve({ state }), mutate }),
      waitFor: () => Promise.reject(new Error('connection closed')),
    },
    balances: { amountOf: () => Promise.resolve(0n) },
    settings: { readForInvoice: () => Promise.resolve({ settings }) },
    peers: { customers: { find: () => Promise.resolve(undefined) } },
    pages: { urlOf: () => undefined },
    onTaxed: () => undefined,
    clock: systemClock,
    logger: { warn },
  } as unknown as OneOffDependencies;
  const { finalizeInvoice } = oneOffHandlers(dependencies);
  const { invoice } = await finalizeInvoice({ id: state.id }, context);
  expect(invoice).toMatchObject({ status: InvoiceStatus.INVOICE_STATUS_DRAFT, version: 2n });
  expect(mutate).toHaveBeenCalledTimes(1);
  expect(warn).toHaveBeenCalledTimes(1);
});
