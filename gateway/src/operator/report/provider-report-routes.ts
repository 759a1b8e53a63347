import { z } from 'zod';
import { systemClock } from '@billing/chassis/clock';
import type { ProviderReport } from '@billing/proto/billing/checkout/v1/payment';
import type { GetProviderStateResponse } from '@billing/proto/billing/checkout/v1/report';
import { liveTenantOf } from '../../access/live-tenant';
import { readQuery } from '../../api/input/input';
import { ok, present } from '../../http/answer';
import type { EnvironmentRoute, OperatorRoute } from '../route/route';
import { toJsonSum } from './json-sum';

const ListProviderReports = z.object({ invoiceId: z.string() });

/** Refunds, disputes and contradictions that the payment provider reported for an invoice. */
export const providerReportRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/provider-reports',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const wanted = readQuery(ListProviderReports, { query });
      const { reports } = await peers.payment.listProviderReports(wanted, context);
      return ok({ data: reports.map(toJsonProviderReport) });
    },
  },
];

/**
 * Payment readiness of the organization's live environment, shown on the pages of every
 * environment.
 */
export const providerStateRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/payment-provider',
    handle: async ({ call, signedIn }, { peers }) => {
      const tenant = liveTenantOf(signedIn);
      const context = { ...call, tenant, now: systemClock.now(), scopes: [] };
      return ok(toJsonProviderState(await peers.checkoutReport.getProviderState({}, context)));
    },
  },
];

/**
 * Presence of a payment provider in the live environment, and the number of invoices that wait for
 * one.
 */
export function toJsonProviderState(state: GetProviderStateResponse) {
  const { isConfigured, waitingInvoices } = state;
  return { isConfigured, waitingInvoices: Number(waitingInvoices) };
}

/** Converts a report to its JSON form. */
export function toJsonProviderReport(report: ProviderReport) {
  const { id, kind, providerPaymentId, currency, status, amount, receivedAt } = report;
  return {
    ...{ id, kind, providerPaymentId, currency, status },
    amount: toJsonSum(amount),
    receivedAt: present(receivedAt).toISOString(),
  };
}
