import type { UsageWindow } from '@billing/proto/billing/metering/v1/metering';
import { MeteringRole } from '../metering-role';
import { type Use, meterIdOf } from './catalog';

/** The settlements of metering, with the units of two meters. */
export class PlayedMetering {
  /** All that was used, the oldest first. */
  readonly used: Use[] = [];
  readonly calls;

  constructor() {
    const role = new MeteringRole();
    role.usageOf = (window, meterId) => String(this.unitsIn(window, meterId));
    this.calls = role.calls();
  }

  private unitsIn({ start, end, meters }: UsageWindow, meterId: string): number {
    const taken = meters.find((meter) => meter.meterId === meterId)?.taken ?? [];
    const isIn = (at: number, span: { start?: Date | undefined; end?: Date | undefined }) =>
      at >= (span.start?.getTime() ?? -Infinity) && at < (span.end?.getTime() ?? Infinity);
    return this.used
      .filter(({ at, meter }) => meterIdOf(meter) === meterId && isIn(at, { start, end }))
      .filter(({ at }) => taken.every((span) => !isIn(at, span)))
      .reduce((sum, { units }) => sum + units, 0);
  }
}
