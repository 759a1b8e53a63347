import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import {
  type SpanMismatch,
  type UncountedEvents,
  type UsageAuditServiceServer,
  UsageAuditServiceService,
  type UsageMismatch,
} from '@billing/proto/billing/metering/v1/audit';
import { usageAuditCallers } from '../peer/callers';
import { hourMs, type OwnedSeries } from '../usage/hour';
import type { ComparedHour, ComparedSpan, UsageAudit, UsageFindings } from './audit-worker';

/** The RPC that checks stored usage. */
export function usageAuditRpc(audit: UsageAudit) {
  const handlers: AsyncHandlers<UsageAuditServiceServer> = {
    checkUsage: async ({ environmentId, customerId, repair, after }, { signal }) => {
      const names = customerId === '' ? [environmentId] : [environmentId, customerId];
      const prefix = environmentId === '' ? '' : `${names.join(':')}:`;
      const check = { prefix, isRepaired: repair, after };
      const { compared, spans, uncounted, searched, next } = await audit.check(check, signal);
      return {
        compared: compared.length,
        mismatches: compared.filter(({ isEqual }) => !isEqual).map(toProtoMismatch),
        next,
        comparedSpans: spans.length,
        spanMismatches: spans.filter(({ isEqual }) => !isEqual).map(toProtoSpanMismatch),
        searchedEvents: BigInt(searched),
        uncounted: uncounted.map(toProtoUncounted),
      };
    },
  };
  return rpcService(UsageAuditServiceService, handlers, {
    withoutTenant: ['checkUsage'],
    callers: usageAuditCallers,
  });
}

function toProtoMismatch({ series, hour, stored, counted }: ComparedHour): UsageMismatch {
  return {
    ...seriesFields(series),
    hour: new Date(hour * hourMs),
    storedEvents: BigInt(stored.events),
    storedQuantity: stored.quantity,
    countedEvents: BigInt(counted.events),
    countedQuantity: counted.quantity,
  };
}

function toProtoSpanMismatch({ series, span, stored, summed }: ComparedSpan): SpanMismatch {
  return {
    ...seriesFields(series),
    start: span.start,
    end: span.end,
    storedEvents: BigInt(stored.events),
    storedQuantity: stored.quantity,
    summedEvents: BigInt(summed.events),
    summedQuantity: summed.quantity,
  };
}

function toProtoUncounted({
  series,
  hour,
  counted,
  stored,
}: UsageFindings['uncounted'][number]): UncountedEvents {
  return {
    ...seriesFields(series),
    hour: new Date(hour * hourMs),
    countedEvents: BigInt(counted),
    storedEvents: BigInt(stored),
  };
}

function seriesFields({ environmentId, customerId, meterId }: OwnedSeries) {
  return { environmentId, customerId, meterId };
}
