import { type Calendar } from './calendar';
import { linkOffers, type Offer, type OfferKey, offers } from './catalogue';
import { discountFor, planPurchase, type Entry, browseOnly } from './entry';
import { planFate, type Fate, payInvoicesSent } from './fate';
import { Life, purchaseOf } from './life';
import { people, type Person } from './people';
import { Random } from './random';
import type { Step, Usage } from './step';
import { UsageRhythm } from './usage-rhythm';

/** The steps of one customer on one day, in order. */
export interface Turn {
  readonly person: Person;
  readonly steps: readonly Step[];
}

/**
 * Everything at one instant: turns of different customers in any order, and the usage since the
 * previous day.
 */
export interface DayPlan {
  readonly day: number;
  readonly at: Date;
  readonly turns: readonly Turn[];
  readonly usage: readonly Usage[];
}

export interface DemoPlan {
  readonly seed: string;
  readonly days: readonly DayPlan[];
  /** The final contents of the sandbox. */
  readonly totals: Readonly<Record<'customers' | 'subscriptions' | 'events' | 'grants', number>>;
}

const offerDeck = deckOf<OfferKey>({
  starter: 6,
  team: 4,
  'team-eu': 3,
  business: 2,
  api: 4,
  coaching: 1,
});
const fateDeck = deckOf<Fate | 'LOOKS'>({
  STAYS: 6,
  LEAVES: 5,
  WAVERS: 1,
  GROWS: 2,
  SHRINKS: 1,
  RETRIED_ONCE: 1,
  FAILS_TWICE: 1,
  RETRIED_LATE: 1,
  PAYS_AGAIN: 1,
  CARD_EXPIRES: 1,
  GIVES_UP: 1,
  IS_LOST: 1,
  LOOKS: 2,
});
const entryDeck = deckOf<Entry>({ CHECKOUT: 5, API: 3, LINK: 1, INVOICE: 1 });

/** The limit of orders per address at the link. */
const linkOrdersMax = 28;

/** Plans the whole demo: the same seed and calendar give the same plan. */
export function planDemo({
  seed,
  customers,
  calendar,
}: {
  seed: string;
  customers: number;
  calendar: Calendar;
}): DemoPlan {
  const lives = planLives(new Random(seed), customers, calendar);
  const days = Array.from({ length: calendar.lastDay + 1 }, (_, day) => ({
    day,
    at: calendar.at(day),
    turns: [] as Turn[],
    usage: [] as Usage[],
  }));
  for (const life of lives) {
    const rhythm = life.metered && new UsageRhythm(life, life.metered);
    for (const { day, step } of rhythm?.grants() ?? []) life.on(day, step);
    const stepsOf = Map.groupBy(life.plannedSteps, ({ day }) => day);
    for (const [day, dated] of stepsOf) {
      days[day]?.turns.push({ person: life.person, steps: dated.map(({ step }) => step) });
    }
    for (const { day, usage } of rhythm?.events() ?? []) days[day]?.usage.push(...usage);
  }
  return { seed, days: withoutQuietDays(days, lives), totals: totalsOf(days) };
}

function planLives(random: Random, customers: number, calendar: Calendar): Life[] {
  const nextPerson = people(random.fork('people'));
  const nextOffer = random.fork('offers').deck(offerDeck);
  const nextFate = random.fork('fates').deck(fateDeck);
  const nextEntry = random.fork('entries').deck(entryDeck);
  let linkOrders = 0;
  return joinDays(random.fork('days'), customers, calendar).map((day) => {
    const offer = offers[nextOffer()];
    const joinDay = day + (isRefusedOn(day, { offer, calendar }) ? 1 : 0);
    const person = nextPerson(offer.currency);
    const life = new Life(person, offer, joinDay, calendar, random.fork(person.ref));
    const entry = entryFor(offer, nextEntry());
    const isRefused = entry === 'LINK' && linkOrders >= linkOrdersMax;
    if (entry === 'LINK' && !isRefused) linkOrders += 1;
    tell(life, { entry: isRefused ? 'CHECKOUT' : entry, fate: nextFate() });
    return life;
  });
}

function tell(life: Life, { entry, fate }: { entry: Entry; fate: Fate | 'LOOKS' }): void {
  const { offer, random } = life;
  const quantity = offer.hasSeats ? random.whole(2, 30) : 1;
  const hasCode = entry === 'CHECKOUT' || entry === 'API';
  const discount = hasCode ? discountFor(life) : undefined;
  const purchase = purchaseOf('first', { offer, quantity, discount });
  if (fate === 'LOOKS') {
    browseOnly(life, purchase);
    return;
  }
  planPurchase(life, entry, purchase);
  // Customers with sent invoices are never charged automatically.
  if (entry === 'INVOICE') payInvoicesSent(life);
  else planFate(life, fate, purchase);
}

/**
 * A metered subscription begins the day before: from the first of a month on, months would be
 * counted from the end of another one.
 */
function isRefusedOn(day: number, { offer, calendar }: { offer: Offer; calendar: Calendar }) {
  return offer.isMetered && calendar.at(day).getUTCDate() === 1 && day < calendar.lastDay;
}

/** Not every offer is sold in every way. */
function entryFor(offer: Offer, entry: Entry): Entry {
  if (offer.isMetered) return 'API';
  if (entry === 'INVOICE' && !offer.hasSeats && offer.interval !== 'YEARLY') return 'CHECKOUT';
  if (entry === 'LINK' && !linkOffers.includes(offer.key)) return 'CHECKOUT';
  return entry;
}

/** More customers join each month, and few on weekends. Sorted; the first day sets up the shop. */
function joinDays(random: Random, customers: number, calendar: Calendar): number[] {
  const { lastDay } = calendar;
  const days = Array.from({ length: customers }, (_, index) => {
    // Distributed evenly over the area below a line that rises from 1 to 3.
    const share = (index + random.next()) / customers;
    const day = 1 + Math.floor((lastDay - 1) * ((Math.sqrt(1 + 8 * share) - 1) / 2));
    const isPutOff = calendar.isWeekend(day) && random.chance(0.6) && day + 2 <= lastDay;
    return isPutOff ? day + 2 : day;
  });
  return days.sort((a, b) => a - b);
}

/**
 * Each move of the clock takes time, so days without work are dropped and their usage is ingested
 * later: but before a metered period ends, and within the week.
 */
function withoutQuietDays(days: readonly DayPlan[], lives: readonly Life[]): DayPlan[] {
  const endings = new Set(
    lives.flatMap(({ metered, chargeDays }) => (metered ? chargeDays.map((day) => day - 1) : [])),
  );
  const isKept = ({ day, turns }: DayPlan) =>
    turns.length > 0 || endings.has(day) || day % 7 === 0 || day === days.length - 1;
  let untold: Usage[] = [];
  return days.flatMap((one) => {
    untold.push(...one.usage);
    if (!isKept(one)) return [];
    const usage = untold;
    untold = [];
    return { ...one, usage };
  });
}

function totalsOf(days: readonly DayPlan[]): DemoPlan['totals'] {
  const steps = days.flatMap(({ turns }) => turns.flatMap((turn) => turn.steps));
  const count = (isMeant: (step: Step) => boolean) => steps.filter(isMeant).length;
  return {
    customers: count(({ kind }) => kind === 'REGISTER' || kind === 'FOLLOW_LINK'),
    subscriptions: count(
      (step) =>
        step.kind === 'SUBSCRIBE' ||
        step.kind === 'FOLLOW_LINK' ||
        (step.kind === 'CHECK_OUT' && step.isPaid && step.purchase !== undefined),
    ),
    events: days.reduce((sum, { usage }) => sum + usage.length, 0),
    grants: count(({ kind }) => kind === 'GRANT_CREDITS'),
  };
}

function deckOf<T extends string>(counts: Readonly<Record<T, number>>): readonly T[] {
  return Object.entries<number>(counts).flatMap(([card, count]) =>
    Array.from({ length: count }, () => card as T),
  );
}
