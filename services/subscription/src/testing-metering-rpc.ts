import type { AsyncHandlers } from '@billing/chassis/rpc';
import type {
  MeteringServiceServer,
  SettledUsage,
  SettleUsageRequest,
  UsageWindow,
} from '@billing/proto/billing/metering/v1/metering';

/** Quantities that metering knows, and knew when it was last asked. */
export interface Usages {
  readonly current: string;
  readonly previous?: string;
}

/** Metering, as far as subscriptions ask it. */
export class MeteringRole {
  readonly settlements: SettleUsageRequest[] = [];
  /** What it finds of a meter in a window; undefined: nothing that it did not know before. */
  usageOf: (window: UsageWindow, key: string) => Usages | undefined = () => undefined;

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
        return { usages: request.windows.flatMap((window) => this.settle(window, request.key)) };
      },
    };
  }

  private settle(window: UsageWindow, key: string): SettledUsage[] {
    const { periodIndex, meters } = window;
    const found = this.usageOf(window, key);
    if (found === undefined) return [];
    const { current, previous } = found;
    return meters.map(({ meterId }) => ({
      periodIndex,
      meterId,
      meterName: 'Calls',
      current: used(current),
      previous: previous === undefined ? undefined : used(previous),
    }));
  }
}

function used(quantity: string) {
  return { quantity, creditsUsed: [] };
}
