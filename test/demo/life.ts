import type { Calendar } from './calendar';
import { type Offer, offers } from './catalogue';
import type { Person } from './people';
import type { Random } from './random';
import type { Purchase, PurchaseName, Step } from './step';

export interface DatedStep {
  readonly day: number;
  readonly step: Step;
}

/** The days of a customer's metered use; the last day is excluded. */
export interface MeteredSpan {
  readonly from: number;
  readonly until: number;
}

/** The planned steps of one customer, day by day. */
export class Life {
  private readonly steps: DatedStep[] = [];
  private endDay = Infinity;

  constructor(
    readonly person: Person,
    readonly offer: Offer,
    readonly joinDay: number,
    readonly calendar: Calendar,
    readonly random: Random,
  ) {}

  /** Steps after the last day are dropped. */
  on(day: number, step: Step): void {
    if (day <= this.calendar.lastDay) this.steps.push({ day, step });
  }

  /** The subscription of the first purchase ends on this day. */
  endsOn(day: number): void {
    this.endDay = Math.min(this.endDay, day);
  }

  /** The days with an automatic charge. */
  get chargeDays(): number[] {
    const { calendar, joinDay, offer } = this;
    const anchorDay = joinDay + offer.trialDays;
    const afterTrial = offer.trialDays > 0 && anchorDay <= calendar.lastDay ? [anchorDay] : [];
    return [...afterTrial, ...calendar.periodStarts(anchorDay, offer.interval)];
  }

  /** A day between two others, both included, if it lies before the plan's end. */
  dayBetween(from: number, to: number): number | undefined {
    const until = Math.min(to, this.calendar.lastDay);
    return from > until ? undefined : this.random.whole(from, until);
  }

  /** In the order of execution. */
  get plannedSteps(): readonly DatedStep[] {
    return this.steps
      .map((dated, index) => ({ dated, index }))
      .sort((a, b) => a.dated.day - b.dated.day || a.index - b.index)
      .map(({ dated }) => dated);
  }

  get metered(): MeteredSpan | undefined {
    if (!this.offer.isMetered || !this.plannedSteps.some(({ step }) => step.kind === 'SUBSCRIBE')) {
      return undefined;
    }
    return { from: this.joinDay, until: Math.min(this.endDay, this.calendar.lastDay + 1) };
  }
}

export function purchaseOf(
  name: PurchaseName,
  {
    offer,
    quantity,
    discount,
  }: { offer: Offer; quantity: number; discount?: Purchase['discount'] },
): Purchase {
  return { name, offer: offer.key, quantity, discount };
}

/** The offer that a customer upgrades or downgrades to; undefined: none. */
export function changeOf(
  { offer, quantity }: { offer: Offer; quantity: number },
  direction: 'GROWS' | 'SHRINKS',
): Purchase | undefined {
  if (offer.hasSeats) {
    const seats = direction === 'GROWS' ? quantity * 2 : Math.floor(quantity / 2);
    return seats === 0 ? undefined : purchaseOf('second', { offer, quantity: seats });
  }
  const isUp = direction === 'GROWS' && ['starter', 'coaching'].includes(offer.key);
  return isUp ? purchaseOf('second', { offer: offers.team, quantity: 12 }) : undefined;
}
