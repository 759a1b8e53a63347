import { rpcService } from '@billing/chassis/rpc';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import { meteringCallers } from './callers';
import { creditCalls } from './credit/credit-rpc';
import { eventCalls } from './ingest/event-rpc';
import type { IngestDependencies } from './ingest/ingest-rpc';
import { meterCalls } from './meter/meter-rpc';
import { settlementCalls } from './settlement/settlement-rpc';
import type { SettlementDependencies } from './settlement/settlement-worker';
import { usageStateCalls } from './report/usage-rpc';

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
