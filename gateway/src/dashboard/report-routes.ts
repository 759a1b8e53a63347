import { z } from 'zod';
import { toJsonMeter } from '@billing/proto/json/meter';
import type { EndpointReport } from '@billing/proto/billing/notifier/v1/report';
import { readQuery, wholeNumber } from '../input';
import { ok, present } from '../route';
import type { EnvironmentRoute } from './operator-route';

const DeliveryReport = z.object({ days: wholeNumber(1, 30).default(30) });
const UsageReport = z.object({ meterId: z.string(), days: wholeNumber(1, 90).default(30) });
const CreditReport = z.object({ days: wholeNumber(1, 90).default(90) });

/** What the dashboard shows of an environment beside what the public API tells. */
export const reportRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/reports/webhooks',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const { days } = readQuery(DeliveryReport, { query });
      const { endpoints } = await peers.webhookReport.getDeliveryReport({ days }, context);
      return ok({ data: endpoints.map(toJsonEndpointReport) });
    },
  },
  {
    method: 'GET',
    path: '/reports/usage',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const wanted = readQuery(UsageReport, { query });
      const [{ meters }, { days, customers }] = await Promise.all([
        peers.metering.getMeters({ ids: [wanted.meterId] }, context),
        peers.usageReport.getUsageReport(wanted, context),
      ]);
      return ok({
        meter: toJsonMeter(present(meters[0])),
        days: days.map(withEvents),
        customers: customers.map(withEvents),
      });
    },
  },
  {
    method: 'GET',
    path: '/reports/credits',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const wanted = readQuery(CreditReport, { query });
      const { meters } = await peers.usageReport.getCreditReport(wanted, context);
      return ok({ data: meters.map((credits) => ({ ...credits, unit: credits.unit ?? null })) });
    },
  },
];

function withEvents<T extends { readonly events: bigint }>(usage: T) {
  return { ...usage, events: Number(usage.events) };
}

/** What became of an endpoint's webhooks, day by day. */
export function toJsonEndpointReport({ endpointId, days }: EndpointReport) {
  return {
    endpointId,
    days: days.map(({ day, delivered, failed }) => ({
      day,
      delivered: Number(delivered),
      failed: Number(failed),
    })),
  };
}
