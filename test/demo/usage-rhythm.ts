import type { Calendar } from './calendar';
import type { DatedStep, Life, MeteredSpan } from './life';
import type { Random } from './random';
import type { Usage } from './step';

const growthPerWeek = 1.012;
const onWeekends = 0.3;
const hourMs = 3_600_000;
/** Calls of a working day, by size of customer. */
const sizes = [180, 420, 900, 2600] as const;
const packDays = 80;
const packLastsDays = 90;

/** Daily usage of a customer: less on weekends, growing every week, with variation. */
export class UsageRhythm {
  private readonly size: number;
  private readonly random: Random;

  constructor(
    private readonly life: Life,
    private readonly span: MeteredSpan,
  ) {
    this.random = life.random.fork('usage');
    this.size = this.random.pick(sizes);
  }

  /**
   * The events ingested on each day: calls of the day and the previous night, and stored data at
   * the beginning of the week.
   */
  events(): { readonly day: number; readonly usage: readonly Usage[] }[] {
    const days: { day: number; usage: Usage[] }[] = [];
    for (let day = this.span.from + 1; day <= this.lastDay; day += 1) {
      days.push({ day, usage: this.eventsOn(day) });
    }
    return days;
  }

  /** Credits: a trial grant that expires, and packs that large customers buy in advance. */
  grants(): DatedStep[] {
    const { from } = this.span;
    const { calendar } = this.life;
    const trial = credits(calendar, {
      day: from,
      amount: 5_000,
      lastsDays: 45,
      name: 'To try it out',
      source: 'PROMOTIONAL',
    });
    if (this.size < sizes[2]) return [trial];
    const packs: DatedStep[] = [];
    for (let day = from + 20; day < this.lastDay; day += packDays) {
      const amount = this.size * 30;
      const pack = { day, amount, lastsDays: packLastsDays, name: 'Pack', source: 'PAID' } as const;
      packs.push(credits(calendar, pack));
    }
    return [trial, ...packs];
  }

  private get lastDay(): number {
    return Math.min(this.span.until - 1, this.life.calendar.lastDay);
  }

  private eventsOn(day: number): Usage[] {
    const { random, life, span } = this;
    const { calendar, person } = life;
    const weeks = (day - span.from) / 7;
    const rhythm = calendar.isWeekend(day - 1) ? onWeekends : 1;
    const calls = this.size * rhythm * growthPerWeek ** weeks * (0.75 + random.next() / 2);
    const at = (hoursAgo: number) => new Date(calendar.at(day).getTime() - hoursAgo * hourMs);
    const event = (meter: Usage['meter'], quantity: number, hoursAgo: number): Usage => ({
      eventId: `${person.ref}/${meter === 'Storage' ? 'storage' : 'calls'}/${String(day)}/${String(hoursAgo)}`,
      externalCustomerId: person.ref,
      meter,
      quantity,
      timestamp: at(hoursAgo),
    });
    // Usage of yesterday's work and of the night.
    const usage = [
      event('API calls', Math.ceil(calls * 0.8), 19),
      event('API calls', Math.ceil(calls * 0.2), 7),
    ];
    const isMonday = calendar.at(day).getUTCDay() === 1;
    if (isMonday) usage.push(event('Storage', Math.ceil(this.size / 60 + weeks / 2), 2));
    return usage;
  }
}

function credits(
  calendar: Calendar,
  grant: {
    day: number;
    amount: number;
    lastsDays: number;
    name: string;
    source: 'PROMOTIONAL' | 'PAID';
  },
): DatedStep {
  const { day, lastsDays, ...rest } = grant;
  const expiresAt = calendar.at(day + lastsDays);
  return { day, step: { kind: 'GRANT_CREDITS', meter: 'API calls', ...rest, expiresAt } };
}
