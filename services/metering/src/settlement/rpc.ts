import type { CallContext } from '@billing/chassis/call-context';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { DomainError } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import { parseUnits } from '@billing/kernel/units';
import type {
  BilledUsages,
  MeteringServiceServer,
  QuoteUsageRequest,
  SettledUsage as ProtoSettledUsage,
  SettleUsageRequest,
  UsageMark,
  UsageWindow as ProtoUsageWindow,
  WindowMeter,
} from '@billing/proto/billing/metering/v1/metering';
import type { MarkedQuantity } from '../credit/account';
import { adopt, type BilledUsage } from './settle-from-invoice';
import { quote, settle, type SettlementDependencies, type SettlementRequest } from './settle-usage';
import type { MeterWindows, SettledQuantity, SettledUsage, SettlementWindow } from './settlement';

type SettlementCalls = Pick<AsyncHandlers<MeteringServiceServer>, 'settleUsage' | 'quoteUsage'>;

const keyLengthMax = 100;
const unbilledKeysMax = 1_000;

/** The RPCs that decide what an invoice bills, and what it would bill. */
export function settlementCalls(dependencies: SettlementDependencies): SettlementCalls {
  return {
    settleUsage: async (request, context) => {
      refuseMalformed(request);
      const { key, billed } = request;
      const asked = { ...fromProtoRequest(request), key };
      const settled =
        billed === undefined
          ? await settle(asked, context, dependencies)
          : await adopt({ ...asked, billed: fromProtoBilled(billed) }, context, dependencies);
      return { usages: await named(settled?.usages ?? [], context, dependencies) };
    },

    quoteUsage: async (request, context) => {
      refuseProblems({ unbilledKeys: unbilledKeysProblems(request) });
      const usages = await quote(fromProtoRequest(request), context, dependencies);
      return { usages: await named(usages, context, dependencies) };
    },
  };
}

async function named(
  usages: readonly SettledUsage[],
  context: CallContext,
  dependencies: Pick<SettlementDependencies, 'meters'>,
): Promise<ProtoSettledUsage[]> {
  const names = await meterNames(usages, context, dependencies);
  return usages.map((usage) => ({
    ...toProtoSettledUsage(usage),
    meterName: names.get(usage.meterId),
  }));
}

/**
 * Current names of the meters, deleted ones included. For display only; not part of the settlement.
 */
async function meterNames(
  usages: readonly SettledUsage[],
  context: CallContext,
  { meters }: Pick<SettlementDependencies, 'meters'>,
): Promise<ReadonlyMap<string, string>> {
  const found = await meters.within(context).findAll(usages.map(({ meterId }) => meterId));
  return new Map(found.map(({ state }) => [state.id, state.name]));
}

function refuseMalformed(request: SettleUsageRequest): void {
  const { key } = request;
  const isKey = key.length > 0 && key.length <= keyLengthMax;
  refuseProblems({
    key: isKey ? [] : [`Must be 1 to ${String(keyLengthMax)} characters`],
    unbilledKeys: unbilledKeysProblems(request),
  });
}

function unbilledKeysProblems({ unbilledKeys }: QuoteUsageRequest): string[] {
  return unbilledKeys.length <= unbilledKeysMax ? [] : [`At most ${String(unbilledKeysMax)}`];
}

function fromProtoRequest(request: QuoteUsageRequest): Omit<SettlementRequest, 'key'> {
  const { subscriptionId, customerId, windows, unbilledKeys } = request;
  const requested = windows.flatMap(({ periodIndex, meters }) =>
    meters.map(({ meterId }) => ({ periodIndex, meterId })),
  );
  return { subscriptionId, customerId, requested, meters: metersIn(windows), unbilledKeys };
}

function fromProtoBilled({ usages }: BilledUsages): BilledUsage[] {
  return usages.map(({ periodIndex, meterId, difference }) => {
    if (difference === undefined) throw malformed('A billed usage requires its difference');
    const { marks } = difference;
    const parts = marks.length === 0 ? {} : { marks: marks.map(fromProtoMark) };
    return { periodIndex, meterId, difference: { ...fromProtoMark(difference), ...parts } };
  });
}

function fromProtoMark({ quantity, creditsUsed }: UsageMark): MarkedQuantity {
  const uses = creditsUsed.map((use) => ({ grantId: use.grantId, quantity: use.quantity }));
  return { quantity, uses };
}

/** Groups the windows by meter. */
function metersIn(windows: SettleUsageRequest['windows']): MeterWindows[] {
  const all = new Map<string, SettlementWindow[]>();
  for (const window of windows) {
    for (const meter of window.meters) {
      const { meterId } = meter;
      const own = all.get(meterId) ?? [];
      all.set(meterId, own);
      own.push(fromProtoWindow(window, meter));
    }
  }
  return [...all].map(([meterId, own]) => ({ meterId, windows: own }));
}

function fromProtoWindow(
  { periodIndex, start, end }: ProtoUsageWindow,
  { includedUnits, taken, stretches }: WindowMeter,
): SettlementWindow {
  const included = includedUnits === '' ? '0' : includedUnits;
  const terms = { periodIndex, includedUnits: included, taken: taken.map(spanOf) };
  if (stretches.length === 0) return { ...terms, ...spanOf({ start, end }) };
  if (end !== undefined || stretches.length < 2) throw malformed('Stretches end their window');
  const ends = stretches.map((stretch) => spanOf({ start, end: stretch.end }).end);
  const isAscending = ends.every((one, index) => one > (ends[index - 1] ?? start ?? one));
  if (!isAscending) throw malformed('Stretches follow each other');
  return {
    ...terms,
    ...spanOf({ start, end: ends.at(-1) }),
    stretches: stretches.map(({ includedUnits: units, continues }, index) => ({
      end: ends[index] ?? new Date(NaN),
      includedUnits: parseUnits(units, 'includedUnits'),
      continues,
    })),
  };
}

function spanOf({ start, end }: { start: Date | undefined; end: Date | undefined }) {
  if (start === undefined || end === undefined || end < start) {
    throw malformed('A window requires a start and an end');
  }
  return { start, end };
}

function malformed(message: string): DomainError {
  return new DomainError('invalid_input', 'INVALID_REQUEST', message);
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

function toProtoQuantity({ marks = [], ...whole }: SettledQuantity) {
  return { ...toProtoMark(whole), marks: marks.map(toProtoMark) };
}

function toProtoMark({ quantity, uses }: MarkedQuantity) {
  return {
    quantity,
    creditsUsed: uses.map(({ grantId, quantity: units }) => ({ grantId, quantity: units })),
  };
}
