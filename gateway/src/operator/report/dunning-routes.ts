import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import type { InvoiceCollection } from '@billing/proto/billing/checkout/v1/report';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import { toJsonOptionalTime } from '@billing/proto/json/scalars';
import { riskKinds } from '@billing/proto/values/checkout';
import { optional, listShape, readQuery } from '../../api/input/input';
import { listQuery, page } from '../../api/input/list';
import { param } from '../../api/input/request';
import { ok, present } from '../../http/answer';
import type { Peers } from '../../peer/peers';
import type { EnvironmentRoute } from '../route/route';

const ListInvoicesAtRisk = z.object({
  ...listShape,
  kind: optional(z.enum(['PAYMENT_FAILED', 'OVERDUE'])),
});

/** Collection of invoices: when they are charged next, and which may stay unpaid. */
export const dunningRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/invoices-at-risk',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const { kind, ...wanted } = readQuery(ListInvoicesAtRisk, { query });
      const { invoices, total } = await peers.checkoutReport.listInvoicesAtRisk(
        {
          ...listQuery(wanted),
          kind: kind && riskKinds.valueOf(kind),
        },
        context,
      );
      const customers = await customersOf(invoices, context, peers);
      return page(invoices, { ...wanted, total }, (one) => toJsonInvoiceAtRisk(one, customers));
    },
  },
  {
    method: 'GET',
    path: '/invoices/:id/collection',
    isOfEnvironment: true,
    handle: async (request, { peers }) => {
      const { collection } = await peers.checkoutReport.getInvoiceCollection(
        { invoiceId: param(request, 'id') },
        request.context,
      );
      return ok(toJsonInvoiceCollection(present(collection)));
    },
  },
];

/** Customers of some invoices, by id; without the deleted ones. */
async function customersOf(
  collections: readonly InvoiceCollection[],
  context: CallContext,
  peers: Peers,
): Promise<ReadonlyMap<string, Customer>> {
  const ids = [...new Set(collections.map(({ invoice }) => present(invoice).customerId))];
  if (ids.length === 0) return new Map();
  const wanted = { page: 1, perPage: ids.length, ids: { ids } };
  const { customers } = await peers.customer.listCustomers(wanted, context);
  return new Map(customers.map((customer) => [customer.id, customer]));
}

/** Invoice at risk: its collection and its customer; null if deleted. */
export function toJsonInvoiceAtRisk(
  collection: InvoiceCollection,
  customers: ReadonlyMap<string, Pick<Customer, 'name' | 'email'>>,
) {
  const json = toJsonInvoiceCollection(collection);
  const customer = customers.get(json.invoice.customerId);
  return {
    ...json,
    customer: customer ? { name: customer.name ?? null, email: customer.email } : null,
  };
}

/** Collection of an invoice. */
export function toJsonInvoiceCollection(collection: InvoiceCollection) {
  const { nextAttemptAt, laterAttempts, firstFailedAt, awaitsProvider } = collection;
  const invoice = toJsonInvoice(present(collection.invoice));
  return {
    id: invoice.id,
    invoice,
    /** Number of failed payments, those on the hosted page included. */
    failures: invoice.payments.filter(({ status }) => status === 'FAILED').length,
    nextAttemptAt: toJsonOptionalTime(nextAttemptAt),
    laterAttempts,
    firstFailedAt: toJsonOptionalTime(firstFailedAt),
    awaitsProvider,
  };
}
