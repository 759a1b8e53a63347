import type { DiscountCode } from './catalogue';
import type { Life } from './life';
import type { CardName, Purchase, Step } from './step';

/** The way a customer buys. */
export type Entry = 'CHECKOUT' | 'LINK' | 'API' | 'INVOICE';

const abandonedFirst = 0.3;
const isDeclinedFirst = 0.12;
const challenged = 0.08;
const buysOnboarding = 0.25;
const anchorAheadMs = 10 * 60_000;
const dayMs = 86_400_000;

/** Views the offer, returns some days later, and buys it. */
export function planPurchase(life: Life, entry: Entry, purchase: Purchase): void {
  const { joinDay, person, random, offer } = life;
  switch (entry) {
    case 'CHECKOUT': {
      const lookDay = random.chance(abandonedFirst) ? joinDay - random.whole(2, 9) : joinDay;
      register(life, Math.max(lookDay, 0));
      if (lookDay >= 0 && lookDay < joinDay) abandon(life, lookDay, purchase);
      life.on(joinDay, { kind: 'CHECK_OUT', purchase, cards: cardsTried(life), isPaid: true });
      if (offer.hasSeats && random.chance(buysOnboarding)) buyOnboarding(life);
      return;
    }
    case 'LINK':
      life.on(joinDay, { kind: 'FOLLOW_LINK', purchase, card: 'good' });
      return;
    case 'API':
      register(life, joinDay);
      life.on(joinDay, { kind: 'SUBSCRIBE', purchase, card: 'good', startAt: startOf(life) });
      return;
    case 'INVOICE':
      life.on(joinDay, { kind: 'REGISTER', person, collectionMethod: 'SEND_INVOICE' });
      life.on(joinDay, { kind: 'SUBSCRIBE', purchase, card: undefined, startAt: undefined });
      return;
  }
}

/** Views the offer without buying. */
export function browseOnly(life: Life, purchase: Purchase): void {
  const { calendar, joinDay, random } = life;
  register(life, joinDay);
  abandon(life, joinDay, purchase);
  if (random.chance(0.4)) abandon(life, joinDay + random.whole(2, 20), purchase);
  // A session opened on the last day is still open at the end.
  if (random.chance(0.3) && joinDay < calendar.lastDay) abandon(life, calendar.lastDay, purchase);
}

/** The customer's discount code, if it applies to the offer. */
export function discountFor({ offer, random }: Life): DiscountCode | undefined {
  if (offer.isMetered || !random.chance(0.3)) return undefined;
  if (offer.key === 'business') return 'YEAR25';
  const codes: DiscountCode[] = ['WELCOME20', 'WELCOME20', 'PARTNER15'];
  return random.pick(offer.currency === 'USD' ? [...codes, 'LAUNCH10'] : codes);
}

function register(life: Life, day: number): void {
  const { person } = life;
  life.on(day, { kind: 'REGISTER', person, collectionMethod: 'CHARGE_AUTOMATICALLY' });
}

function abandon(life: Life, day: number, purchase: Purchase): void {
  const cards: CardName[] = life.random.chance(0.3) ? ['declined'] : [];
  life.on(day, { kind: 'CHECK_OUT', purchase, cards, isPaid: false });
}

function cardsTried({ random, offer }: Life): CardName[] {
  // A trial charges nothing, so no card is declined.
  if (offer.trialDays > 0) return ['good'];
  if (random.chance(isDeclinedFirst)) return ['declined', 'good'];
  return [random.chance(challenged) ? 'challenges' : 'good'];
}

function buyOnboarding(life: Life): void {
  const day = life.joinDay + life.random.whole(2, 6);
  const step: Step = { kind: 'CHECK_OUT', purchase: undefined, cards: ['good'], isPaid: true };
  life.on(day, step);
}

/**
 * Metered periods end ten minutes after a day's work, which ingests the usage of the previous day:
 * so none of it arrives after the invoice that bills it.
 */
function startOf({ offer, calendar, joinDay }: Life): Date | undefined {
  if (!offer.isMetered) return undefined;
  return new Date(calendar.at(joinDay).getTime() + anchorAheadMs - dayMs);
}
