import { changeOf, type Life } from './life';
import type { CardName, Purchase, Step } from './step';

/** The further course of a purchase. */
export type Fate =
  | 'STAYS'
  | 'LEAVES'
  | 'WAVERS'
  | 'GROWS'
  | 'SHRINKS'
  | 'RETRIED_ONCE'
  | 'FAILS_TWICE'
  | 'RETRIED_LATE'
  | 'PAYS_AGAIN'
  | 'CARD_EXPIRES'
  | 'GIVES_UP'
  | 'IS_LOST';

const leavesInTrial = 0.3;
const cancelsImmediately = 0.35;
const failsLast = 0.12;
const paysQuickly = 0.6;
const dunningDays = 14;

/** Plans the steps after the purchase. */
export function planFate(life: Life, fate: Fate, purchase: Purchase): void {
  switch (fate) {
    case 'STAYS':
      return;
    case 'LEAVES':
      cancelLater(life);
      return;
    case 'WAVERS':
      cancelAndUndo(life);
      return;
    case 'GROWS':
    case 'SHRINKS':
      change(life, changeOf({ offer: life.offer, quantity: purchase.quantity }, fate));
      return;
    default:
      failToPay(life, fate);
  }
}

/** Pays sent invoices, mostly in time and some when overdue. */
export function payInvoicesSent(life: Life): void {
  const { random, joinDay, chargeDays } = life;
  for (const day of [joinDay, ...chargeDays]) {
    const delay = random.chance(0.15) ? random.whole(33, 44) : random.whole(4, 24);
    life.on(day + delay, { kind: 'PAY_INVOICES', card: 'good' });
  }
}

function cancelLater(life: Life): void {
  const { random, joinDay, offer } = life;
  const isInTrial = offer.trialDays > 0 && random.chance(leavesInTrial);
  const stayed = joinDay + (isInTrial ? 4 : offer.trialDays + 12);
  const day = life.dayBetween(stayed, isInTrial ? joinDay + offer.trialDays - 2 : stayed + 200);
  if (day === undefined) return;
  const atPeriodEnd = !random.chance(cancelsImmediately);
  life.on(day, cancel(atPeriodEnd));
  life.endsOn(atPeriodEnd ? nextCharge(life, day) : day);
}

function cancelAndUndo(life: Life): void {
  const day = life.dayBetween(life.joinDay + 10, life.joinDay + 90);
  if (day === undefined || nextCharge(life, day) < day + 4) return;
  life.on(day, cancel(true));
  life.on(day + 3, { kind: 'UNCANCEL', purchase: 'first' });
}

/**
 * A subscription cannot change its plan: the old one ends, and at the same moment the new one
 * begins.
 */
function change(life: Life, purchase: Purchase | undefined): void {
  const { joinDay, offer } = life;
  const day = life.dayBetween(joinDay + offer.trialDays + 20, joinDay + offer.trialDays + 160);
  if (day === undefined || purchase === undefined) return;
  life.on(day, cancel(false));
  life.on(day, { kind: 'SUBSCRIBE', purchase, card: undefined, startAt: undefined });
  life.endsOn(day);
}

/** The saved card is replaced the day before a charge; the sequel differs by fate. */
function failToPay(life: Life, fate: keyof typeof cardOfFailure): void {
  const { random, joinDay, chargeDays } = life;
  const days = chargeDays.filter((day) => day >= joinDay + 3);
  const day = random.chance(failsLast) ? days.at(-1) : days[random.whole(0, days.length - 1)];
  if (day === undefined) return;
  life.on(day - 1, { kind: 'CHANGE_CARD', card: cardOfFailure[fate] });
  switch (fate) {
    case 'RETRIED_ONCE':
      useFailingCard(life, day + 1);
      return;
    case 'RETRIED_LATE':
      useFailingCard(life, day + 8);
      return;
    case 'PAYS_AGAIN': {
      const delay = random.chance(paysQuickly) ? random.whole(1, 2) : random.whole(8, 13);
      life.on(day + delay, { kind: 'PAY_INVOICES', card: 'other' });
      return;
    }
    case 'CARD_EXPIRES':
      life.on(day + random.whole(4, 6), { kind: 'CHANGE_CARD', card: 'other' });
      return;
    case 'GIVES_UP':
      life.on(day + 2, cancel(false));
      life.endsOn(day + 2);
      return;
    case 'IS_LOST':
      life.endsOn(day + dunningDays);
      return;
    case 'FAILS_TWICE':
  }
}

/**
 * A card that fails twice fails on the charge, is retried the day after, and is good when the
 * schedule comes to it.
 */
function useFailingCard(life: Life, day: number): void {
  life.on(day, { kind: 'CHANGE_CARD', card: 'failsTwice' });
  life.on(day + 1, { kind: 'RETRY_INVOICES' });
}

const cardOfFailure = {
  RETRIED_ONCE: 'failsWhenSaved',
  FAILS_TWICE: 'failsTwice',
  RETRIED_LATE: 'failsWhenSaved',
  PAYS_AGAIN: 'failsWhenSaved',
  CARD_EXPIRES: 'expired',
  GIVES_UP: 'failsWhenSaved',
  IS_LOST: 'failsWhenSaved',
} as const satisfies Partial<Record<Fate, CardName>>;

function cancel(atPeriodEnd: boolean): Step {
  return { kind: 'CANCEL', purchase: 'first', atPeriodEnd };
}

function nextCharge({ chargeDays }: Life, day: number): number {
  return chargeDays.find((charged) => charged > day) ?? Infinity;
}
