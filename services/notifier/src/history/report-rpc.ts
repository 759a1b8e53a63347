import type { Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { type CalendarDay, lastDays } from '@billing/kernel/calendar-day';
import {
  type DeliveryDay,
  type WebhookReportServiceServer,
  WebhookReportServiceService,
} from '@billing/proto/billing/notifier/v1/report';
import { webhookReportCallers } from '../peer/callers';
import type { DeliveryStatus } from '../delivery/delivery';
import type { DeliveryDayWorker } from './day-worker';
import type { DeliveryOutcomes } from '../delivery/outcomes';
import type { DeliveryReportStore } from './report-store';
import type { EndpointStore } from '../endpoint/endpoint-store';
import type { EndpointHealthStore } from '../endpoint/health-store';
import { endpointsMax, type EndpointKey, type WebhookEndpoint } from '../endpoint/endpoint';

export interface ReportRpcDependencies {
  readonly endpoints: EndpointStore;
  readonly health: EndpointHealthStore;
  readonly reports: DeliveryReportStore;
  readonly days: DeliveryDayWorker;
  readonly clock: Clock;
}

// Deliveries are kept for thirty days: the first of thirty days is complete as long as the last has
// not ended.
const daysMax = 30;
const lately = 24 * 3_600_000;
const countMax = 10_000;

/** Implements the calls about delivery outcomes. */
export function reportRpc({ endpoints, health, reports, days, clock }: ReportRpcDependencies) {
  const endpointsOf = async (tenant: Tenant): Promise<WebhookEndpoint[]> => {
    const { data } = await endpoints.list({ tenant }, { page: 1, perPage: endpointsMax });
    return data.map(({ state }) => state);
  };
  const keysOf = async (tenant: Tenant): Promise<EndpointKey[]> => {
    const { environmentId } = tenant;
    return (await endpointsOf(tenant)).map(({ id }) => ({ environmentId, endpointId: id }));
  };
  const reportOf = async (
    { id: endpointId, url, active }: WebhookEndpoint,
    { environmentId }: Tenant,
    wanted: readonly CalendarDay[],
  ) => {
    const outcomes = await days.outcomes({ environmentId, endpointId }, wanted);
    return {
      ...{ endpointId, url, active },
      days: outcomes.map((one, at) => toProtoDay(wanted[at], one)),
    };
  };
  const handlers: AsyncHandlers<WebhookReportServiceServer> = {
    getDeliveryReport: async (request, { tenant }) => {
      const wanted = lastDays(clock.now(), { days: request.days, max: daysMax });
      const found = await endpointsOf(tenant);
      const [reports, failing] = await Promise.all([
        Promise.all(found.map((endpoint) => reportOf(endpoint, tenant, wanted))),
        health.findFailing(
          tenant.environmentId,
          found.map(({ id }) => id),
        ),
      ]);
      const withHealth = (one: (typeof reports)[number]) => ({
        ...one,
        failingSince: failing.get(one.endpointId),
      });
      return { endpoints: reports.map(withHealth) };
    },
    getDeliveryCounts: async (_request, { tenant }) => {
      const keys = await keysOf(tenant);
      const since = new Date(clock.now().getTime() - lately);
      const count = (status: DeliveryStatus) =>
        reports.countStanding(keys, { status, since, limit: countMax });
      const [waiting, failed, paused] = await Promise.all([
        count('PENDING'),
        count('FAILED'),
        count('PAUSED'),
      ]);
      return {
        waiting: BigInt(waiting.count),
        failed: BigInt(failed.count),
        paused: BigInt(paused.count),
        isMore: waiting.isMore || failed.isMore || paused.isMore,
      };
    },
  };
  return rpcService(WebhookReportServiceService, handlers, { callers: webhookReportCallers });
}

function toProtoDay(
  day: CalendarDay | undefined,
  { delivered, failed }: DeliveryOutcomes,
): DeliveryDay {
  return { day: day?.day ?? '', delivered: BigInt(delivered), failed: BigInt(failed) };
}
