import { ownCall } from '@billing/chassis/call-context';
import { connectPeer } from '@billing/chassis/peer';
import {
  type CheckUsageRequest,
  type CheckUsageResponse,
  type SpanMismatch,
  type UncountedEvents,
  type UsageAuditServiceServer,
  UsageAuditServiceService,
  type UsageMismatch,
} from '@billing/proto/billing/metering/v1/audit';

/** Counts stored hours and spans of usage again, and yields the results page by page. */
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
    seriesOf(one, `hour ${one.hour?.toISOString() ?? ''}`),
    `stored ${one.storedQuantity} of ${String(one.storedEvents)} events`,
    `counted ${one.countedQuantity} of ${String(one.countedEvents)} events`,
  ].join(': ');
}

/** Describes a span that differs from its hours. */
export function lineOfSpan(one: SpanMismatch): string {
  const span = `${one.start?.toISOString() ?? ''} to ${one.end?.toISOString() ?? ''}`;
  return [
    seriesOf(one, `span ${span}`),
    `stored ${one.storedQuantity} of ${String(one.storedEvents)} events`,
    `its hours ${one.summedQuantity} of ${String(one.summedEvents)} events`,
  ].join(': ');
}

/** Describes an hour with events that are in no total. */
export function lineOfUncounted(one: UncountedEvents): string {
  return [
    seriesOf(one, `hour ${one.hour?.toISOString() ?? ''}`),
    `${String(one.storedEvents)} events stored, ${String(one.countedEvents)} in a total or part`,
  ].join(': ');
}

function seriesOf(
  { customerId, meterId }: Pick<UsageMismatch, 'customerId' | 'meterId'>,
  time: string,
): string {
  return `customer ${customerId}, meter ${meterId}, ${time}`;
}
