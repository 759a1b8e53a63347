import { rpcService } from '@billing/chassis/rpc';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import { meteringCallers } from './callers';
import { creditCalls } from './credit-rpc';
import { eventCalls } from './event-rpc';
import type { IngestDependencies } from './ingest-rpc';
import { meterCalls } from './meter-rpc';
import { settlementCalls } from './settlement-rpc';
import type { SettlementDependencies } from './settlement-worker';
import { usageStateCalls } from './usage-rpc';

export function meteringRpc(dependencies: IngestDependencies & SettlementDependencies) {
  return rpcService<MeteringServiceServer>(
    MeteringServiceService,
    {
      ...meterCalls(dependencies.meters),
      ...eventCalls(dependencies),
      ...creditCalls(dependencies),
      ...usageStateCalls(dependencies),
      ...settlementCalls(dependencies),
    },
    { callers: meteringCallers },
  );
}
