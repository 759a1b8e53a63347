import { rpcService } from '@billing/chassis/rpc';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import { DomainError } from '@billing/kernel/domain-error';
import { eventCalls } from './event-rpc';
import type { IngestParts } from './ingest-rpc';
import { meterCalls } from './meter-rpc';

const notServed = () =>
  Promise.reject(new DomainError('unavailable', 'NOT_SERVED', 'Service unavailable'));

/** The service's calls. */
export function meteringRpc(parts: IngestParts) {
  return rpcService<MeteringServiceServer>(MeteringServiceService, {
    ...meterCalls(parts.meters),
    ...eventCalls(parts),
    createCreditGrant: notServed,
    listCreditGrants: notServed,
    getUsageState: notServed,
    settleUsage: notServed,
  });
}
