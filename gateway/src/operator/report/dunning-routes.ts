import { z } from 'zod';
import type { InvoiceCollection } from '@billing/proto/billing/checkout/v1/report';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import { toJsonOptionalTime } from '@billing/proto/json/scalars';
import { riskKinds } from '@billing/proto/values/checkout';
import { optional, listShape, readQuery } from '../../api/input/input';
import { listQuery, page } from '../../api/input/list';
import { param } from '../../api/input/request';
import { ok, present } from '../../http/answer';
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
      return page(invoices, { ...wanted, total }, toJsonInvoiceCollection);
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
