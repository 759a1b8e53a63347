import type { Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { type CalendarDay, lastDays } from '@billing/kernel/calendar-day';
import {
  type DeliveryDay,
  type WebhookReportServiceServer,
  WebhookReportServiceService,
} from '@billing/proto/billing/notifier/v1/report';
import { webhookReportCallers } from '../callers';
import type { DeliveryStatus } from '../delivery/delivery';
import type { DeliveryDayWorker } from './day-worker';
import type { DeliveryOutcomes } from '../delivery/outcomes';
import type { DeliveryReportStore } from './report-store';
import type { EndpointStore } from '../endpoint/endpoint-store';
import { endpointsMax, type EndpointKey } from '../endpoint/endpoint';

export interface ReportRpcDependencies {
  readonly endpoints: EndpointStore;
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
export function reportRpc({ endpoints, reports, days, clock }: ReportRpcDependencies) {
  const keysOf = async (tenant: Tenant): Promise<EndpointKey[]> => {
    const { data } = await endpoints.list({ tenant }, { page: 1, perPage: endpointsMax });
    const { environmentId } = tenant;
    return data.map(({ state }) => ({ environmentId, endpointId: state.id }));
  };
  const reportOf = async (key: EndpointKey, wanted: readonly CalendarDay[]) => {
    const outcomes = await days.outcomes(key, wanted);
    return {
      endpointId: key.endpointId,
      days: outcomes.map((one, at) => toProtoDay(wanted[at], one)),
    };
  };
  const handlers: AsyncHandlers<WebhookReportServiceServer> = {
    getDeliveryReport: async (request, { tenant }) => {
      const wanted = lastDays(clock.now(), { days: request.days, max: daysMax });
      const keys = await keysOf(tenant);
      return { endpoints: await Promise.all(keys.map((key) => reportOf(key, wanted))) };
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
