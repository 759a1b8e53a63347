import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import {
  type UsageAuditServiceServer,
  UsageAuditServiceService,
  type UsageMismatch,
} from '@billing/proto/billing/metering/v1/audit';
import { usageAuditCallers } from '../callers';
import { hourMs } from '../usage/hour';
import type { ComparedHour, UsageAudit } from './audit-worker';

/** The RPC that checks stored usage. */
export function usageAuditRpc(audit: UsageAudit) {
  const handlers: AsyncHandlers<UsageAuditServiceServer> = {
    checkUsage: async ({ environmentId, customerId, repair, after }, { signal }) => {
      const names = customerId === '' ? [environmentId] : [environmentId, customerId];
      const prefix = environmentId === '' ? '' : `${names.join(':')}:`;
      const { compared, next } = await audit.check({ prefix, isRepaired: repair, after }, signal);
      const mismatches = compared.filter(({ isEqual }) => !isEqual).map(toProtoMismatch);
      return { compared: compared.length, mismatches, next };
    },
  };
  return rpcService(UsageAuditServiceService, handlers, {
    withoutTenant: ['checkUsage'],
    callers: usageAuditCallers,
  });
}

function toProtoMismatch({ series, hour, stored, counted }: ComparedHour): UsageMismatch {
  const { environmentId, customerId, meterId } = series;
  return {
    environmentId,
    customerId,
    meterId,
    hour: new Date(hour * hourMs),
    storedEvents: BigInt(stored.events),
    storedQuantity: stored.quantity,
    countedEvents: BigInt(counted.events),
    countedQuantity: counted.quantity,
  };
}
