import type { CallContext } from '@billing/chassis/call-context';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import { parseUnits } from '@billing/kernel/units';
import type {
  MeteringServiceServer,
  SettledUsage as ProtoSettledUsage,
  SettleUsageRequest,
} from '@billing/proto/billing/metering/v1/metering';
import {
  type CreditAccount,
  decidedBy,
  grantsFor,
  periodKey,
  setConsumption,
  usesOf,
} from './credit-account';
import {
  changedUsages,
  lastSettled,
  type SettledQuantity,
  type SettledUsage,
  type Settlement,
  type SettlementWindow,
  type WindowMeter,
} from './settlement';
import type { SettlementStore } from './settlement-store';
import { burnWindow, readWindow, type UsageWindow } from './usage-burning';
import { accountId, type UsageParts } from './usage-rpc';
import type { UsageStorage } from './usage-hour';

/** What settlements are made of. */
export interface SettlementParts extends UsageParts {
  readonly settlementsOf: (context: Pick<CallContext, 'tenant'>) => SettlementStore;
}

type SettlementCalls = Pick<AsyncHandlers<MeteringServiceServer>, 'settleUsage'>;

// As the store repeats a change that lost its race.
const attemptsMax = 8;
const keyLengthMax = 100;
const unbilledKeysMax = 1_000;

/** The call that decides what an invoice bills. */
export function settlementCalls(parts: SettlementParts): SettlementCalls {
  return {
    settleUsage: async (request, context) => {
      const { usages } = await settle(request, context, parts);
      const names = await meterNames(usages, context, parts);
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

/** What the meters are called now, also those that are deleted: for people, no part of what was settled. */
async function meterNames(
  usages: readonly SettledUsage[],
  context: CallContext,
  { meters }: SettlementParts,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(usages.map(({ meterId }) => meterId))];
  const found = await Promise.all(ids.map((id) => meters.within(context).find(id)));
  return new Map(
    found.filter((one) => one !== undefined).map(({ state }) => [state.id, state.name]),
  );
}

async function settle(
  request: SettleUsageRequest,
  context: CallContext,
  parts: SettlementParts,
): Promise<Settlement> {
  const { subscriptionId, key } = request;
  refuseMalformed(request);
  const unbilled = new Set(request.unbilledKeys);
  const windows = request.windows.map(fromProtoWindow);
  const store = parts.settlementsOf(context);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const earlier = await store.ofSubscription(subscriptionId);
    const done = earlier.find((one) => one.key === key);
    if (done !== undefined) return done;
    const billed = earlier.filter((one) => !unbilled.has(one.key));
    const usages: SettledUsage[] = [];
    for (const window of windows) {
      for (const meter of window.meters) {
        const { periodIndex } = window;
        const current = await decide(request, { window, meter }, { context, parts });
        const previous = lastSettled(billed, { periodIndex, meterId: meter.meterId });
        usages.push({ periodIndex, meterId: meter.meterId, current, previous });
      }
    }
    const number = (earlier.at(-1)?.number ?? 0) + 1;
    const settlement = { subscriptionId, key, number, usages: changedUsages(usages) };
    if (await store.insert(settlement)) return settlement;
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

function refuseMalformed({ key, unbilledKeys }: SettleUsageRequest): void {
  const isKey = key.length > 0 && key.length <= keyLengthMax;
  const isFew = unbilledKeys.length <= unbilledKeysMax;
  refuseProblems({
    key: isKey ? [] : [`Must be 1 to ${String(keyLengthMax)} characters`],
    unbilledKeys: isFew ? [] : [`At most ${String(unbilledKeysMax)}`],
  });
}

/**
 * Counts a window from its events and burns its credits. The account decides first and remembers for which settlement: whoever repeats
 * the settlement after a crash, or races with it, bills the very same, and what came since is a difference of the next one.
 */
async function decide(
  { subscriptionId, customerId, key: settlement }: SettleUsageRequest,
  {
    window,
    meter: { meterId, includedUnits, taken },
  }: { window: SettlementWindow; meter: WindowMeter },
  { context, parts }: { context: CallContext; parts: SettlementParts },
): Promise<SettledQuantity> {
  const meter = await parts.meters.within(context).find(meterId);
  if (meter === undefined) throw notFound('Meter');
  const { aggregation, uniqueProperty } = meter.state;
  const series = { customerId, meterId, aggregation, uniqueProperty };
  const counted: UsageWindow = { start: window.start, end: window.end, taken };
  const account = await openAccount({ customerId, meterId }, { context, parts });
  const period = periodKey(subscriptionId, window.periodIndex);
  // The boundaries of grants must be those of the account that decides: a grant that comes meanwhile begins at its own time.
  // A period that has ended keeps its invoice: no grant that was made later reaches back into it.
  const grants = grantsFor(account, period).filter(({ createdAt }) => createdAt < window.end);
  const usage = await readWindow(rawOf(parts.usageOf(context)), series, {
    window: counted,
    grants,
  });
  const burn = (available: typeof grants) =>
    burnWindow(usage, series, {
      window: counted,
      grants: available,
      includedUnits: parseUnits(includedUnits, 'includedUnits'),
    });
  const known = new Set(grants.map((grant) => grant.id));
  const accounts = parts.accounts.within(context);
  const { state } = await accounts.mutate(account.id, (before: CreditAccount) => {
    if (decidedBy(before, { period, settlement }) !== undefined) {
      return { state: before, events: [], commands: [] };
    }
    const available = grantsFor(before, period).filter((grant) => known.has(grant.id));
    const burnt = burn(available);
    const consumption = {
      period,
      settlement,
      quantity: burnt.quantity.toString(),
      uses: usesOf(burnt),
    };
    return {
      state: setConsumption(before, consumption, context.now),
      events: [],
      commands: [],
    };
  });
  const decided = decidedBy(state, { period, settlement });
  if (decided === undefined) throw new Error('The account did not decide');
  return { quantity: decided.quantity, uses: decided.uses };
}

/** The account that decides, made where there is none: without one, who comes after the first grant would decide otherwise than who came before. */
async function openAccount(
  { customerId, meterId }: { customerId: string; meterId: string },
  { context, parts }: { context: CallContext; parts: SettlementParts },
): Promise<CreditAccount> {
  const accounts = parts.accounts.within(context);
  const id = accountId(context, { customerId, meterId });
  const known = await accounts.find(id);
  if (known !== undefined) return known.state;
  const fresh = { id, customerId, meterId, grants: [], consumptions: [], burns: [] };
  const { stored } = await accounts.insert({ state: fresh, events: [], commands: [] });
  return stored.state;
}

/** The same events without the totals of sealed hours: what is billed is counted anew. */
function rawOf(storage: UsageStorage): UsageStorage {
  const raw = Object.create(storage) as UsageStorage;
  raw.sealedUntil = () => Promise.resolve(null);
  return raw;
}

function fromProtoWindow(window: SettleUsageRequest['windows'][number]): SettlementWindow {
  const { periodIndex, start, end, meters } = window;
  return {
    periodIndex,
    ...spanOf({ start, end }),
    taken: [],
    meters: meters.map(({ meterId, includedUnits, taken }) => ({
      meterId,
      includedUnits: includedUnits === '' ? '0' : includedUnits,
      taken: taken.map(spanOf),
    })),
  };
}

function spanOf({ start, end }: { start: Date | undefined; end: Date | undefined }) {
  if (start === undefined || end === undefined || end < start) {
    throw new DomainError('invalid_input', 'INVALID_REQUEST', 'A window needs a start and an end');
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
