import { z } from 'zod';
import type { Meter } from '@billing/proto/billing/metering/v1/metering';
import type {
  GetUsageReportResponse,
  MeterCredits,
} from '@billing/proto/billing/metering/v1/report';
import { toJsonMeter } from '@billing/proto/json/meter';
import { toJsonOptionalTime } from '@billing/proto/json/scalars';
import type { EndpointReport } from '@billing/proto/billing/notifier/v1/report';
import { readQuery, wholeNumber } from '../../api/input/input';
import { ok, present } from '../../http/answer';
import type { EnvironmentRoute } from '../route/route';

const DeliveryReport = z.object({ days: wholeNumber(1, 30).default(30) });
const UsageReport = z.object({ meterId: z.string(), days: wholeNumber(1, 90).default(30) });
const CreditReport = z.object({ days: wholeNumber(1, 90).default(90) });

// The first report over many customers waits until the daily totals are computed.
const usageDeadlineMs = 30_000;

/** Reports of an environment that the public API does not offer. */
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
    deadlineMs: usageDeadlineMs,
    handle: async ({ query, context }, { peers }) => {
      const wanted = readQuery(UsageReport, { query });
      const [{ meters }, usage] = await Promise.all([
        peers.metering.getMeters({ ids: [wanted.meterId] }, context),
        peers.usageReport.getUsageReport(wanted, context),
      ]);
      return ok(toJsonUsageReport(present(meters[0]), usage));
    },
  },
  {
    method: 'GET',
    path: '/reports/credits',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const wanted = readQuery(CreditReport, { query });
      const { meters } = await peers.usageReport.getCreditReport(wanted, context);
      return ok({ data: meters.map(toJsonMeterCredits) });
    },
  },
];

/** Usage of a meter, by day and by customer. */
export function toJsonUsageReport(meter: Meter, { days, customers }: GetUsageReportResponse) {
  return {
    meter: toJsonMeter(meter),
    days: days.map(withEvents),
    customers: customers.map(withEvents),
  };
}

/** Use of the credits of a meter, by day. */
export function toJsonMeterCredits(credits: MeterCredits) {
  return { ...credits, unit: credits.unit ?? null };
}

function withEvents<T extends { readonly events: bigint }>(usage: T) {
  return { ...usage, events: Number(usage.events) };
}

/** Delivery results of an endpoint's webhooks, by day. */
export function toJsonEndpointReport({ endpointId, failingSince, days }: EndpointReport) {
  return {
    endpointId,
    /** Real time of the first failure since the last success; null if the last one succeeded. */
    failingSince: toJsonOptionalTime(failingSince),
    days: days.map(({ day, delivered, failed }) => ({
      day,
      delivered: Number(delivered),
      failed: Number(failed),
    })),
  };
}
