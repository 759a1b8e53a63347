import { ownCall } from '@billing/chassis/call-context';
import { connectPeer } from '@billing/chassis/peer';
import {
  type CheckUsageRequest,
  type CheckUsageResponse,
  type UsageAuditServiceServer,
  UsageAuditServiceService,
  type UsageMismatch,
} from '@billing/proto/billing/metering/v1/audit';

/** Counts stored hours of usage again, and yields the results page by page. */
export async function* checkUsage(
  address: string,
  request: Omit<CheckUsageRequest, 'after'>,
): AsyncGenerator<CheckUsageResponse> {
  const metering = connectPeer<UsageAuditServiceServer>(UsageAuditServiceService, {
    address,
    service: 'check',
    withoutTenant: ['checkUsage'],
  });
  try {
    let after = '';
    do {
      const page = await metering.checkUsage({ ...request, after }, ownCall());
      yield page;
      after = page.next;
    } while (after !== '');
  } finally {
    metering.close();
  }
}

/** Describes an hour that differs from its events. */
export function lineOf(one: UsageMismatch): string {
  return [
    `customer ${one.customerId}, meter ${one.meterId}, hour ${one.hour?.toISOString() ?? ''}`,
    `stored ${one.storedQuantity} of ${String(one.storedEvents)} events`,
    `counted ${one.countedQuantity} of ${String(one.countedEvents)} events`,
  ].join(': ');
}
