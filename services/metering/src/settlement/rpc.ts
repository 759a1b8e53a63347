import type { CallContext } from '@billing/chassis/call-context';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { DomainError } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import type {
  MeteringServiceServer,
  SettledUsage as ProtoSettledUsage,
  SettleUsageRequest,
} from '@billing/proto/billing/metering/v1/metering';
import { settle, type SettlementDependencies, type SettlementRequest } from './settle-usage';
import type { MeterWindows, SettledQuantity, SettledUsage, SettlementWindow } from './settlement';

type SettlementCalls = Pick<AsyncHandlers<MeteringServiceServer>, 'settleUsage'>;

const keyLengthMax = 100;
const unbilledKeysMax = 1_000;

/** The RPC that decides what an invoice bills. */
export function settlementCalls(dependencies: SettlementDependencies): SettlementCalls {
  return {
    settleUsage: async (request, context) => {
      refuseMalformed(request);
      const { usages } = await settle(fromProtoRequest(request), context, dependencies);
      const names = await meterNames(usages, context, dependencies);
      const meterNameOf = ({ meterId }: SettledUsage) => names.get(meterId);
      return {
        usages: usages.map((usage) => ({
          ...toProtoSettledUsage(usage),
          meterName: meterNameOf(usage),
        })),
      };
    },
  };
}

/**
 * Current names of the meters, deleted ones included. For display only; not part of the settlement.
 */
async function meterNames(
  usages: readonly SettledUsage[],
  context: CallContext,
  { meters }: SettlementDependencies,
): Promise<ReadonlyMap<string, string>> {
  const found = await meters.within(context).findAll(usages.map(({ meterId }) => meterId));
  return new Map(found.map(({ state }) => [state.id, state.name]));
}

function refuseMalformed({ key, unbilledKeys }: SettleUsageRequest): void {
  const isKey = key.length > 0 && key.length <= keyLengthMax;
  const isFew = unbilledKeys.length <= unbilledKeysMax;
  refuseProblems({
    key: isKey ? [] : [`Must be 1 to ${String(keyLengthMax)} characters`],
    unbilledKeys: isFew ? [] : [`At most ${String(unbilledKeysMax)}`],
  });
}

function fromProtoRequest(request: SettleUsageRequest): SettlementRequest {
  const { subscriptionId, customerId, key, windows, unbilledKeys } = request;
  const requested = windows.flatMap(({ periodIndex, meters }) =>
    meters.map(({ meterId }) => ({ periodIndex, meterId })),
  );
  return { subscriptionId, customerId, key, requested, meters: metersIn(windows), unbilledKeys };
}

/** Groups the windows by meter. */
function metersIn(windows: SettleUsageRequest['windows']): MeterWindows[] {
  const all = new Map<string, SettlementWindow[]>();
  for (const { periodIndex, start, end, meters } of windows) {
    const span = spanOf({ start, end });
    for (const { meterId, includedUnits, taken } of meters) {
      const own = all.get(meterId) ?? [];
      all.set(meterId, own);
      const included = includedUnits === '' ? '0' : includedUnits;
      own.push({ periodIndex, ...span, includedUnits: included, taken: taken.map(spanOf) });
    }
  }
  return [...all].map(([meterId, own]) => ({ meterId, windows: own }));
}

function spanOf({ start, end }: { start: Date | undefined; end: Date | undefined }) {
  if (start === undefined || end === undefined || end < start) {
    throw new DomainError(
      'invalid_input',
      'INVALID_REQUEST',
      'A window requires a start and an end',
    );
  }
  return { start, end };
}

function toProtoSettledUsage({
  periodIndex,
  meterId,
  current,
  previous,
}: SettledUsage): ProtoSettledUsage {
  return {
    periodIndex,
    meterId,
    current: toProtoQuantity(current),
    previous: previous === null ? undefined : toProtoQuantity(previous),
  };
}

function toProtoQuantity({ quantity, uses }: SettledQuantity) {
  return {
    quantity,
    creditsUsed: uses.map(({ grantId, quantity: units }) => ({ grantId, quantity: units })),
  };
}
