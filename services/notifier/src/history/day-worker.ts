import type { Clock } from '@billing/chassis/clock';
import { type CalendarDay, lastDays } from '@billing/kernel/calendar-day';
import type { DeliveryDayStore } from '../delivery/day-store';
import type { DeliveryOutcomes } from '../delivery/outcomes';
import type { DeliveryReportStore } from './report-store';
import type { EndpointKey } from '../endpoint/endpoint';
import type { SlotStore } from '../endpoint/slot-store';

export interface DeliveryDayWorkerDependencies {
  readonly reports: DeliveryReportStore;
  readonly dayTotals: DeliveryDayStore;
  readonly slots: SlotStore;
  readonly clock: Clock;
}

// The whole retry schedule takes less than four days.
const sealedDays = 5;

/** Reports delivery outcomes by day. Days with a valid cached total are not counted again. */
export class DeliveryDayWorker {
  // The day of the last pass over all endpoints.
  private doneOn: string | undefined;

  constructor(private readonly dependencies: DeliveryDayWorkerDependencies) {}

  /** Returns outcomes in the order of the days. */
  async outcomes(key: EndpointKey, days: readonly CalendarDay[]): Promise<DeliveryOutcomes[]> {
    const known = await this.dependencies.dayTotals.find(key, days);
    return Promise.all(days.map(async (day) => known.get(day.day) ?? (await this.count(key, day))));
  }

  /**
   * Counts the last days of every endpoint once a day, so that a long report finds most of them
   * cached.
   */
  async countAll(signal: AbortSignal): Promise<void> {
    const { slots, clock } = this.dependencies;
    const days = lastDays(clock.now(), { days: sealedDays + 1, max: sealedDays + 1 });
    const today = days.at(-1)?.day;
    if (this.doneOn === today) return;
    for await (const key of slots.all()) {
      await this.outcomes(key, days.slice(0, -1));
      if (signal.aborted) return;
    }
    this.doneOn = today;
  }

  private async count(key: EndpointKey, day: CalendarDay): Promise<DeliveryOutcomes> {
    const { reports, dayTotals, clock } = this.dependencies;
    const countedAt = clock.now();
    const { isSettled, ...total } = await reports.count(key, day);
    if (isSettled) await dayTotals.cache(key, { day, countedAt, total });
    return total;
  }
}
