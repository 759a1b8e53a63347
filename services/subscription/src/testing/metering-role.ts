import type { AsyncHandlers } from '@billing/chassis/rpc';
import { DomainError } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import type {
  MeteringServiceServer,
  QuoteUsageRequest,
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
  readonly quotes: QuoteUsageRequest[] = [];
  /** The units of a meter in a window, as known now. */
  usageOf: (window: UsageWindow, meterId: string) => string = () => '0';
  /** Subscription whose billed usage is refused. */
  refused: string | undefined;
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
        if (request.billed !== undefined && request.subscriptionId === this.refused) {
          throw new DomainError('invalid_input', 'BILLED_USAGE_INVALID', 'Below 0');
        }
        return { usages: this.settle(request) };
      },
      quoteUsage: async (request) => {
        this.quotes.push(request);
        return { usages: this.computed(request) };
      },
    };
  }

  /** Loses the settlements of a subscription, as a restore does. */
  forget(subscriptionId: string): void {
    this.settled.delete(subscriptionId);
  }

  /** Keys of the settlements of a subscription, with the quantities of their periods. */
  settledOf(subscriptionId: string) {
    return [...this.madeFor(subscriptionId)].map(([key, usages]) => [
      key,
      usages.map(({ periodIndex, current }) => [periodIndex, current?.quantity]),
    ]);
  }

  private settle(request: SettleUsageRequest): SettledUsage[] {
    const { subscriptionId, key } = request;
    const made = this.madeFor(subscriptionId);
    this.settled.set(subscriptionId, made);
    const done = made.get(key);
    if (done !== undefined) return done;
    const usages = request.billed === undefined ? this.computed(request) : this.adopted(request);
    made.set(key, usages);
    return usages;
  }

  private computed({ subscriptionId, unbilledKeys, windows }: QuoteUsageRequest): SettledUsage[] {
    const unbilled = new Set(unbilledKeys);
    const made = [...this.madeFor(subscriptionId)];
    const billed = made.filter(([one]) => !unbilled.has(one)).flatMap(([, usages]) => usages);
    return windows.flatMap((window) => this.changed(window, billed));
  }

  /** Usage without stretches as an invoice has billed it. */
  private adopted({ subscriptionId, billed }: SettleUsageRequest): SettledUsage[] {
    const known = [...this.madeFor(subscriptionId)].flatMap(([, usages]) => usages);
    const usages = billed?.usages ?? [];
    return usages.flatMap(({ periodIndex, meterId, difference }) => {
      const previous = known.findLast(
        (one) => one.periodIndex === periodIndex && one.meterId === meterId,
      )?.current;
      const quantity = String(Number(previous?.quantity ?? 0) + Number(difference?.quantity));
      const current = { quantity, creditsUsed: [], marks: [] };
      if (isSameData(previous, current)) return [];
      return [{ periodIndex, meterId, meterName: 'Calls', current, previous }];
    });
  }

  private madeFor(subscriptionId: string): Map<string, SettledUsage[]> {
    return this.settled.get(subscriptionId) ?? new Map<string, SettledUsage[]>();
  }

  private changed(window: UsageWindow, billed: readonly SettledUsage[]): SettledUsage[] {
    const { periodIndex, meters } = window;
    return meters.flatMap(({ meterId, stretches }) => {
      const upTo = (end: Date | undefined) => ({
        quantity: this.usageOf({ ...window, end }, meterId),
        creditsUsed: [],
      });
      const ends = stretches.map(({ end }) => end);
      const marks = ends.slice(0, -1).map(upTo);
      const current = { ...upTo(window.end ?? ends.at(-1)), marks };
      const previous = billed.findLast(
        (one) => one.periodIndex === periodIndex && one.meterId === meterId,
      )?.current;
      if (isSameData(previous, current)) return [];
      return [{ periodIndex, meterId, meterName: 'Calls', current, previous }];
    });
  }
}
