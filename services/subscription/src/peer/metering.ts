import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { BillingPeriod } from '@billing/kernel/billing-period';
import { Decimal } from '@billing/kernel/decimal';
import { isSameRates } from '@billing/kernel/usage-stretches';
import type {
  BilledUsage,
  SettledUsage as ProtoSettledUsage,
  SettleUsageRequest,
  SettleUsageResponse,
  UsageMark,
  UsageQuantity as ProtoUsageQuantity,
  UsageWindow,
  WindowMeter,
} from '@billing/proto/billing/metering/v1/metering';
import { settlementKeys } from '../usage/settlement-attempt';
import { type Subscriptions, subscriptionsOf } from '../storage/subscription-store';
import type { Subscription } from '../subscription/subscription';
import {
  overlappingPeriods,
  type SettledPeriod,
  settledPeriods,
  type Settlement,
} from '../usage/settlement';
import {
  boundedStretches,
  gapsBetween,
  type MeterPart,
  type PricedMeter,
  pricedMeters,
} from '../usage/priced-meter';
import type { RatedStretch, SettledUsage, UsageLine, UsageQuantity } from '../usage/usage-line';
import type { Peers } from './peers';
import { fromProtoMeterRate, type ItemMeterPrice, meterPricesOf } from './period-prices';

export interface SettlementDependencies {
  readonly subscriptions: Subscriptions;
  readonly peers: Peers;
}

/** A period with the meters priced in it. */
interface PricedPeriod extends SettledPeriod {
  readonly meters: readonly PricedMeter<ItemMeterPrice>[];
}

interface MeterInPeriod {
  readonly period: PricedPeriod;
  readonly meter: PricedMeter<ItemMeterPrice>;
}

const none = Decimal.of(0n);

/**
 * Orders a settlement of usage, once for each attempt: a retry returns the result of the first
 * call. Undefined where no meter is priced in any of the periods, so that a subscription without
 * metered prices never waits for metering.
 */
export function settleUsage(
  stored: Stored<Subscription>,
  settlement: Settlement,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<SettledUsage[] | undefined> {
  const { metering } = dependencies.peers;
  const settled = (request: SettleUsageRequest) => metering.settleUsage(request, context);
  return usageOf({ stored, settlement, ask: settled }, context, dependencies);
}

/** A usage line of an invoice, as far as its settlement has decided it. */
export interface BilledLine extends Pick<UsageLine, 'meterId' | 'quantity' | 'period'> {
  readonly creditsUsed: UsageLine['details']['creditsUsed'];
}

/** True if the settlement asks metering for any usage. */
export async function settlesUsage(
  stored: Stored<Subscription>,
  settlement: Settlement,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<boolean> {
  const periods = await pricedPeriods(stored, settlement, context, dependencies);
  return periods.some(({ meters }) => meters.length > 0);
}

/**
 * Orders what an invoice has billed as its settlement, which metering may have lost. Where it has
 * not, this changes nothing.
 */
export async function adoptUsage(
  stored: Stored<Subscription>,
  { settlement, lines }: { readonly settlement: Settlement; readonly lines: readonly BilledLine[] },
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<void> {
  const order = await orderOf(stored, settlement, context, dependencies);
  if (order === undefined) return;
  const usages = order.periods.flatMap((period) =>
    period.meters.map((meter) => toProtoBilledUsage(lines, { period, meter })),
  );
  const request = { ...order.request, billed: { usages } };
  await dependencies.peers.metering.settleUsage(request, context);
}

function toProtoBilledUsage(
  lines: readonly BilledLine[],
  { period, meter: { meterId, parts } }: MeterInPeriod,
): BilledUsage {
  const own = lines.filter((line) => {
    const { start } = line.period;
    return line.meterId === meterId && start >= period.start && start < period.end;
  });
  // Lines of the stretches up to each one; those before the first begin with it.
  const upTo = parts.map((_part, index) => {
    const next = parts[index + 1]?.start;
    return sumOf(own.filter(({ period: { start } }) => next === undefined || start < next));
  });
  const whole = upTo.at(-1) ?? sumOf([]);
  const difference = { ...whole, marks: upTo.slice(0, -1) };
  return { periodIndex: period.index, meterId, difference };
}

function sumOf(lines: readonly BilledLine[]): UsageMark {
  const units = new Map<string, Decimal>();
  for (const { grantId, quantity } of lines.flatMap(({ creditsUsed }) => creditsUsed)) {
    units.set(grantId, (units.get(grantId) ?? none).add(Decimal.parse(quantity)));
  }
  const creditsUsed = [...units].map(([grantId, sum]) => ({ grantId, quantity: sum.toString() }));
  const quantity = lines.reduce((sum, line) => sum.add(Decimal.parse(line.quantity)), none);
  return { quantity: quantity.toString(), creditsUsed };
}

/** Reads what a settlement would return now, without ordering it. */
export function quoteUsage(
  stored: Stored<Subscription>,
  settlement: Settlement,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<SettledUsage[] | undefined> {
  const { metering } = dependencies.peers;
  const quoted = ({ key: _key, ...request }: SettleUsageRequest) =>
    metering.quoteUsage(request, context);
  return usageOf({ stored, settlement, ask: quoted }, context, dependencies);
}

async function usageOf(
  {
    stored,
    settlement,
    ask,
  }: {
    readonly stored: Stored<Subscription>;
    readonly settlement: Settlement;
    readonly ask: (request: SettleUsageRequest) => Promise<SettleUsageResponse>;
  },
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<SettledUsage[] | undefined> {
  const order = await orderOf(stored, settlement, context, dependencies);
  if (order === undefined) return undefined;
  const { request, periods } = order;
  const { usages } = await ask(request);
  const settled = new Map(usages.map((usage) => [nameOf(usage), usage]));
  const found = periods.flatMap((period) =>
    period.meters.flatMap((meter) => {
      const name = nameOf({ periodIndex: period.index, meterId: meter.meterId });
      const usage = settled.get(name);
      settled.delete(name);
      return usage === undefined ? [] : [fromProtoSettledUsage(usage, { period, meter })];
    }),
  );
  const [unknown] = settled.keys();
  if (unknown === undefined) return found;
  throw new Error(`A settlement contains a meter that was not requested: ${unknown}`);
}

/** The request for a settlement; undefined where no meter is priced in any of its periods. */
async function orderOf(
  stored: Stored<Subscription>,
  settlement: Settlement,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<
  { readonly request: SettleUsageRequest; readonly periods: readonly PricedPeriod[] } | undefined
> {
  const periods = await pricedPeriods(stored, settlement, context, dependencies);
  if (periods.every(({ meters }) => meters.length === 0)) return undefined;
  const earlier = await earlierSubscriptions(stored, context, dependencies);
  const windows = await Promise.all(
    periods.map((period) => toProtoWindows(period, earlier, context, dependencies)),
  );
  const { id: subscriptionId, customer } = stored.state;
  const request = {
    subscriptionId,
    customerId: customer.id,
    windows: windows.flat(),
    ...settlementKeys(stored.state.usage, settlement),
  };
  return { request, periods };
}

function nameOf({ periodIndex, meterId }: Pick<ProtoSettledUsage, 'periodIndex' | 'meterId'>) {
  return `${meterId} in period ${String(periodIndex)}`;
}

function fromProtoSettledUsage(
  { meterName, current, previous }: ProtoSettledUsage,
  { period, meter: { meterId, parts } }: MeterInPeriod,
): SettledUsage {
  if (current === undefined) throw new Error(`A settlement has no usage of meter ${meterId}`);
  const rates = parts.map((part) => rateOf(part, period));
  const last = rates.at(-1);
  if (last === undefined) throw new Error(`Nothing prices meter ${meterId}`);
  const { item } = parts[0].priced;
  return {
    ...last,
    ...(rates.length > 1 && { before: rates.slice(0, -1) }),
    meterName: meterName ?? item.productName,
    current: fromProtoUsageQuantity(current, rates.length),
    previous: previous === undefined ? undefined : fromProtoUsageQuantity(previous, rates.length),
  };
}

function rateOf(
  { start, end, priced: { item, price } }: MeterPart<ItemMeterPrice>,
  period: SettledPeriod,
): RatedStretch {
  return {
    item: { itemId: item.id, productId: item.productId },
    rate: fromProtoMeterRate(price),
    period: { start, end: end < period.end ? end : period.end },
  };
}

function pricedPeriods(
  stored: Stored<Subscription>,
  settlement: Settlement,
  context: CallContext,
  { peers }: SettlementDependencies,
): Promise<PricedPeriod[]> {
  const periods = settledPeriods(stored.state, stored, settlement);
  return Promise.all(
    periods.map(async (period) => {
      const { index, start, countedUntil: end } = period;
      const { stretches } = await meterPricesOf(stored, index, context, peers);
      return { ...period, meters: pricedMeters(boundedStretches({ start, end }, stretches)) };
    }),
  );
}

/** The customer's earlier subscriptions: where they price a meter too, the usage is theirs. */
async function earlierSubscriptions(
  { state: { id, customer } }: Stored<Subscription>,
  context: CallContext,
  { subscriptions }: SettlementDependencies,
): Promise<Stored<Subscription>[]> {
  const all = await subscriptionsOf(customer.id, context, subscriptions);
  return all.slice(
    0,
    all.findIndex(({ state }) => state.id === id),
  );
}

/**
 * The windows of a period: one for the meters priced throughout, and one for each other meter, from
 * the first to the last instant at which it is priced.
 */
async function toProtoWindows(
  { index: periodIndex, start, countedUntil: end, meters }: PricedPeriod,
  earlier: readonly Stored<Subscription>[],
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<UsageWindow[]> {
  const taken =
    meters.length === 0 ? [] : await pricedSpans({ start, end }, earlier, context, dependencies);
  const takenOf = ({ meterId, parts }: PricedMeter<ItemMeterPrice>) => [
    ...taken.filter((one) => one.meterId === meterId).map(({ span }) => span),
    ...gapsBetween(parts),
  ];
  const isWhole = ({ parts: [part, ...others] }: PricedMeter<ItemMeterPrice>) =>
    others.length === 0 && part.start <= start && part.end >= end;
  const whole = meters.filter(isWhole).map((meter) => wholeMeter(meter, takenOf(meter)));
  const others = meters
    .filter((meter) => !isWhole(meter))
    .map((meter) => ({ periodIndex, ...partWindow(meter, takenOf(meter)) }));
  return [{ periodIndex, start, end, meters: whole }, ...others];
}

function wholeMeter(
  { meterId, parts: [{ priced }] }: PricedMeter<ItemMeterPrice>,
  taken: BillingPeriod[],
): WindowMeter {
  return { meterId, includedUnits: priced.price.includedUnits ?? '0', taken, stretches: [] };
}

/** A release that does not know stretches refuses a window that has no end of its own. */
function partWindow(
  meter: PricedMeter<ItemMeterPrice>,
  taken: BillingPeriod[],
): Omit<UsageWindow, 'periodIndex'> {
  const { meterId, parts } = meter;
  const [{ start, end }] = parts;
  if (parts.length === 1) return { start, end, meters: [wholeMeter(meter, taken)] };
  const stretches = parts.map(({ priced }, index) => {
    const next = parts[index + 1];
    return {
      // Usage in a gap is taken: the stretch ends where the next one begins.
      end: next?.start ?? parts.at(-1)?.end,
      includedUnits: priced.price.includedUnits ?? '0',
      continues: next !== undefined && hasSameRates(priced, next.priced),
    };
  });
  return {
    ...{ start, end: undefined },
    meters: [{ meterId, includedUnits: '', taken, stretches }],
  };
}

function hasSameRates(a: ItemMeterPrice, b: ItemMeterPrice): boolean {
  return isSameRates(fromProtoMeterRate(a.price), fromProtoMeterRate(b.price));
}

/** Returns the time spans of a window in which earlier subscriptions priced each meter. */
async function pricedSpans(
  window: BillingPeriod,
  earlier: readonly Stored<Subscription>[],
  context: CallContext,
  { peers }: SettlementDependencies,
) {
  const lived = earlier.flatMap((stored) =>
    overlappingPeriods(stored.state, stored, window).map((part) => ({ stored, ...part })),
  );
  const spans = lived.map(async ({ stored, index, period, overlap }) => {
    const { stretches } = await meterPricesOf(stored, index, context, peers);
    return boundedStretches(period, stretches).flatMap(({ start, end, prices }) => {
      const span = {
        start: start > overlap.start ? start : overlap.start,
        end: end < overlap.end ? end : overlap.end,
      };
      if (span.start >= span.end) return [];
      return prices.map(({ price: { meterId } }) => ({ meterId, span }));
    });
  });
  return (await Promise.all(spans)).flat();
}

function fromProtoUsageQuantity(
  { quantity, creditsUsed, marks }: ProtoUsageQuantity,
  stretches: number,
): UsageQuantity {
  if (marks.length !== stretches - 1) throw new Error('A settlement lacks the usage of stretches');
  return {
    ...{ quantity, creditsUsed },
    ...(marks.length > 0 && {
      marks: marks.map((mark) => ({ quantity: mark.quantity, creditsUsed: mark.creditsUsed })),
    }),
  };
}
