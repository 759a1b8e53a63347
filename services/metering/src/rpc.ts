import { rpcService } from '@billing/chassis/rpc';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import { meteringCallers } from './callers';
import { creditCalls } from './credit-rpc';
import { eventCalls } from './event-rpc';
import type { IngestParts } from './ingest-rpc';
import { meterCalls } from './meter-rpc';
import { settlementCalls } from './settlement-rpc';
import type { SettlementParts } from './settlement-worker';

/** The service's calls. */
export function meteringRpc(parts: IngestParts & SettlementParts) {
  return rpcService<MeteringServiceServer>(
    MeteringServiceService,
    {
      ...meterCalls(parts.meters),
      ...eventCalls(parts),
      ...creditCalls(parts),
      ...settlementCalls(parts),
    },
    { callers: meteringCallers },
  );
}
