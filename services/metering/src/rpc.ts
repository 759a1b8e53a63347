import { rpcService } from '@billing/chassis/rpc';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import { meteringCallers } from './peer/callers';
import { creditCalls } from './credit/rpc';
import { eventCalls } from './ingest/event-rpc';
import type { IngestDependencies } from './ingest/ingest-events';
import { meterCalls } from './meter/rpc';
import { usageStateCalls, type UsageStateDependencies } from './report/usage-state-rpc';
import { settlementCalls } from './settlement/rpc';
import type { SettlementDependencies } from './settlement/settle-usage';

export function meteringRpc(
  dependencies: IngestDependencies & SettlementDependencies & UsageStateDependencies,
) {
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
