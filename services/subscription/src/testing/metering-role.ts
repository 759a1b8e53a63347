import type { AsyncHandlers } from '@billing/chassis/rpc';
import type {
  MeteringServiceServer,
  SettledUsage,
  SettleUsageRequest,
  UsageWindow,
} from '@billing/proto/billing/metering/v1/metering';

/**
 * Simulates metering's settlements: a settlement never changes, and a later one reports the
 * difference from the billed ones.
 */
export class MeteringRole {
  readonly settlements: SettleUsageRequest[] = [];
  /** The units of a meter in a window, as known now. */
  usageOf: (window: UsageWindow, meterId: string) => string = () => '0';
  private readonly settled = new Map<string, Map<string, SettledUsage[]>>();

  calls(): AsyncHandlers<MeteringServiceServer> {
    const neverAsked = () => Promise.reject(new Error('Subscriptions never ask this'));
    return {
      createMeter: neverAsked,
      getMeters: neverAsked,
      listMeters: neverAsked,
      updateMeter: neverAsked,
      deleteMeter: neverAsked,
      ingestEvents: neverAsked,
      listEvents: neverAsked,
      createCreditGrant: neverAsked,
      listCreditGrants: neverAsked,
      getUsageState: neverAsked,
      settleUsage: async (request) => {
        this.settlements.push(request);
        return { usages: this.settle(request) };
      },
    };
  }

  private settle(request: SettleUsageRequest): SettledUsage[] {
    const { subscriptionId, key, unbilledKeys } = request;
    const made = this.settled.get(subscriptionId) ?? new Map<string, SettledUsage[]>();
    this.settled.set(subscriptionId, made);
    const done = made.get(key);
    if (done !== undefined) return done;
    const unbilled = new Set(unbilledKeys);
    const billed = [...made].filter(([one]) => !unbilled.has(one)).flatMap(([, usages]) => usages);
    const usages = request.windows.flatMap((window) => this.changed(window, billed));
    made.set(key, usages);
    return usages;
  }

  private changed(window: UsageWindow, billed: readonly SettledUsage[]): SettledUsage[] {
    const { periodIndex, meters } = window;
    return meters.flatMap(({ meterId }) => {
      const current = { quantity: this.usageOf(window, meterId), creditsUsed: [] };
      const previous = billed.findLast(
        (one) => one.periodIndex === periodIndex && one.meterId === meterId,
      )?.current;
      if (previous?.quantity === current.quantity) return [];
      return [{ periodIndex, meterId, meterName: 'Calls', current, previous }];
    });
  }
}
