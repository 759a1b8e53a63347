import { calendarDayOf } from '@billing/kernel/calendar-day';
import { Decimal } from '@billing/kernel/decimal';
import { DomainError } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import { creditGrantProblems } from '@billing/kernel/input/credit-grant';
import { parseUnits } from '@billing/kernel/units';
import type { NamedSet } from '../span/named-set';
import type { BurnableGrant, Burning, CreditSource, GrantTerms } from './burning';

const priorityDefault = 100;
const usableGrantsMax = 1_000;
/** All grants of an account that are not closed are in one document, in about 160 bytes each. */
export const grantsMax = 20_000;
const none = Decimal.of(0n);

/** Prepaid units of one meter for one customer. */
export interface CreditGrant extends GrantTerms {
  /** Canonical decimal string, above 0. */
  readonly amount: string;
  /** Only in grants whose details were stored in the account, as earlier versions did. */
  readonly details?: GrantDetails;
}

/** The fields of a grant that decide nothing. Stored outside the account. */
export interface GrantDetails {
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Units of a grant burnt by a period, as a canonical decimal string. */
export interface GrantUse {
  readonly grantId: string;
  readonly quantity: string;
}

/** Usage of a period up to a mark, and its grants, as canonical decimal strings. */
export interface MarkedQuantity {
  readonly quantity: string;
  readonly uses: readonly GrantUse[];
}

/**
 * Input that decided a period of a subscription, so that the period can be decided again without
 * its settlement. Units are canonical decimal strings.
 */
export interface DecidedWindow {
  readonly start: Date;
  readonly end: Date;
  /** Included units, if no stretches. */
  readonly includedUnits: string;
  /** Parts that other subscriptions claim. */
  readonly taken: readonly { readonly start: Date; readonly end: Date }[];
  /** At least two, up to the end of the window. Absent: one price holds. */
  readonly stretches?: readonly {
    readonly end: Date;
    readonly includedUnits: string;
    readonly continues: boolean;
  }[];
}

/** The total that a period has burnt. */
export interface PeriodConsumption {
  /** Key of the period; see periodKey. */
  readonly period: string;
  /** Key of the settlement that decided it. */
  readonly settlement: string;
  /** Usage that it was decided for. */
  readonly quantity: string;
  readonly uses: readonly GrantUse[];
  /** Usage up to each change of the product that prices the meter; absent: there was none. */
  readonly marks?: readonly MarkedQuantity[];
  /** Names the events of the usage. Absent unless a settlement of this version decided. */
  readonly set?: NamedSet;
  /** True if it was decided when no more events of the period could arrive. */
  readonly isFinal?: boolean;
  /** Absent in final decisions, months, and decisions of earlier versions. */
  readonly window?: DecidedWindow;
  /**
   * True if an invoice has decided it, because a restore has lost the settlement: events that the
   * invoice has billed may be lost, too. Absent means false.
   */
  readonly isAdopted?: boolean;
  /**
   * True if `uses` lacks those of closed grants. The decision is repeated as it is; its complete
   * uses are stored outside the account.
   */
  readonly isClosed?: boolean;
}

/**
 * Units burnt by the settlements of one day, as a canonical decimal string; below 0 if they
 * returned more than they burnt.
 */
export interface DayBurn {
  /** `2026-11-21`, in environment time. */
  readonly day: string;
  readonly quantity: string;
}

/** Sums over the closed grants of an account. Units are canonical decimal strings. */
export interface ClosedCredits {
  readonly count: number;
  readonly granted: string;
  readonly consumed: string;
  /** Units left in grants that expired: granted = consumed + expired. */
  readonly expired: string;
  /** The part of `granted` from grants without an expiry. */
  readonly grantedForever: string;
  /** The other part, by calendar month of the expiry; in any order. */
  readonly expiring: readonly MonthlyUnits[];
}

/** Units of closed grants that expire in the same calendar month. */
export interface MonthlyUnits {
  /** First instant of the month. */
  readonly month: Date;
  readonly granted: string;
}

export const noneClosed: ClosedCredits = {
  count: 0,
  granted: '0',
  consumed: '0',
  expired: '0',
  grantedForever: '0',
  expiring: [],
};

/** All grants of a customer for a meter, and their consumption. */
export interface CreditAccount {
  readonly id: string;
  readonly customerId: string;
  readonly meterId: string;
  readonly grants: readonly CreditGrant[];
  readonly consumptions: readonly PeriodConsumption[];
  /**
   * In order of day. Settlements made before this field existed, and those of closed days, are in
   * none of them.
   */
  readonly burns: readonly DayBurn[];
  /** Absent: no grant is closed. */
  readonly closed?: ClosedCredits;
}

/** Grant fields as sent by the caller. */
export interface GrantInput {
  readonly amount: string;
  readonly effectiveAt?: Date | undefined;
  readonly expiresAt?: Date | undefined;
  readonly priority?: number | undefined;
  readonly source?: CreditSource | 'UNKNOWN' | undefined;
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export type GrantStatus = 'ACTIVE' | 'SCHEDULED' | 'DEPLETED' | 'EXPIRED';

/** Creates a grant. Reports all invalid fields in one error. */
export function createGrant(
  input: GrantInput,
  {
    id,
    now,
    metadataProblems,
  }: { readonly id: string; readonly now: Date; readonly metadataProblems: readonly string[] },
): CreditGrant {
  const { source = 'PROMOTIONAL', priority = priorityDefault, effectiveAt = now } = input;
  refuseProblems({
    ...creditGrantProblems({ ...input, effectiveAt }),
    metadata: metadataProblems,
  });
  if (source === 'UNKNOWN') throw new Error('Unvalidated source');
  return {
    id,
    amount: parseUnits(input.amount, 'amount').toString(),
    priority,
    source,
    effectiveAt,
    expiresAt: input.expiresAt ?? null,
    createdAt: now,
  };
}

/** The details of a new grant. */
export function detailsOf({ name, metadata }: GrantInput): GrantDetails {
  return { name: name ?? null, metadata: metadata ?? {} };
}

/** An account without grants. */
export function emptyAccount(
  account: Pick<CreditAccount, 'id' | 'customerId' | 'meterId'>,
): CreditAccount {
  return { ...account, grants: [], consumptions: [], burns: [] };
}

/**
 * Adds a grant; returns the same account if the grant exists. Refuses a grant beyond the limits:
 * grants with units left that have not expired, and grants that are not closed. `consumed` has the
 * units consumed by grant id, the running period included.
 */
export function addGrant(
  account: CreditAccount,
  grant: CreditGrant,
  consumed: ReadonlyMap<string, Decimal> = consumedIn(account.consumptions),
): CreditAccount {
  if (account.grants.some(({ id }) => id === grant.id)) return account;
  const grants = [...account.grants, grant];
  const { createdAt: now } = grant;
  const isUsable = ({ id, amount, expiresAt }: CreditGrant) =>
    (expiresAt === null || expiresAt > now) &&
    Decimal.parse(amount).compare(consumed.get(id) ?? none) > 0;
  if (grants.length > usableGrantsMax && grants.filter(isUsable).length > usableGrantsMax)
    throw tooMany(`${String(usableGrantsMax)} grants of a meter that have units left`);
  if (grants.length > grantsMax)
    throw tooMany(`${String(grantsMax)} grants of a meter that are not closed`);
  return { ...account, grants };
}

function tooMany(most: string): DomainError {
  return new DomainError(
    'failed_precondition',
    'TOO_MANY_GRANTS',
    `A customer has at most ${most}`,
  );
}

/** The account after the details of some of its grants were stored outside it. */
export function withoutDetails(
  account: CreditAccount,
  grantIds: ReadonlySet<string>,
): CreditAccount {
  const isKept = ({ id, details }: CreditGrant) => details === undefined || !grantIds.has(id);
  if (account.grants.every(isKept)) return account;
  const grants = account.grants.map((grant) => {
    if (isKept(grant)) return grant;
    const { details: _stored, ...terms } = grant;
    return terms;
  });
  return { ...account, grants };
}

/** Key of a subscription's period, unique in the environment. */
export function periodKey(subscriptionId: string, index: number): string {
  return `${subscriptionId}:${String(index)}`;
}

/** Units of every grant available to a period: those that other periods have left. */
export function grantsFor(account: CreditAccount, period: string | undefined): BurnableGrant[] {
  const others = account.consumptions.filter((one) => one.period !== period);
  const consumed = consumedIn(others);
  return account.grants.map((grant) => ({
    ...grant,
    available: Decimal.parse(grant.amount).subtract(consumed.get(grant.id) ?? none),
  }));
}

/** Units consumed of each grant, by grant id. */
export function consumedIn(consumptions: readonly PeriodConsumption[]): Map<string, Decimal> {
  const consumed = new Map<string, Decimal>();
  for (const { grantId, quantity } of consumptions.flatMap(({ uses }) => uses)) {
    consumed.set(grantId, (consumed.get(grantId) ?? none).add(Decimal.parse(quantity)));
  }
  return consumed;
}

/** The decision of a settlement about a period; undefined if there is none. */
export function decidedBy(
  account: CreditAccount,
  { period, settlement }: Pick<PeriodConsumption, 'period' | 'settlement'>,
): PeriodConsumption | undefined {
  return account.consumptions.find((one) => one.period === period && one.settlement === settlement);
}

/**
 * Sets the total consumption of a period, replacing the earlier one. A consumption of nothing is
 * kept only until the subscription's next settlement, which starts after the previous one is
 * stored: so an account without grants does not grow.
 */
export function setConsumption(
  account: CreditAccount,
  consumption: PeriodConsumption,
  now: Date,
): CreditAccount {
  const isOver = ({ period, settlement, uses, isClosed = false }: PeriodConsumption) =>
    uses.length === 0 &&
    !isClosed &&
    settlement !== consumption.settlement &&
    subscriptionOf(period) === subscriptionOf(consumption.period);
  return replaceConsumption(account, consumption, {
    others: account.consumptions.filter((one) => one.period !== consumption.period && !isOver(one)),
    now,
  });
}

/**
 * True if a decision stays although less usage is there now, in total or up to a mark: events that
 * its invoice has billed are lost, not withdrawn.
 */
export function staysAdopted(
  known: PeriodConsumption | undefined,
  { quantity, marks = [] }: CountedUsage,
): known is PeriodConsumption {
  if (known?.isAdopted !== true) return false;
  const isLess = (counted: Decimal, before: MarkedQuantity | undefined) =>
    before !== undefined && counted.compare(Decimal.parse(before.quantity)) < 0;
  return (
    isLess(quantity, known) ||
    marks.some((mark, index) => isLess(mark.quantity, known.marks?.[index]))
  );
}

/** Usage as it is counted now. */
interface CountedUsage {
  readonly quantity: Decimal;
  /** Up to each change of the product that prices the meter; absent: there was none. */
  readonly marks?: readonly { readonly quantity: Decimal }[];
}

/** Sets the last consumption of a period under the key of its settlement. */
export function finalizeConsumption(
  account: CreditAccount,
  consumption: PeriodConsumption,
  now: Date,
): CreditAccount {
  const others = account.consumptions.filter(({ period }) => period !== consumption.period);
  return replaceConsumption(account, { ...consumption, isFinal: true }, { others, now });
}

function replaceConsumption(
  account: CreditAccount,
  consumption: PeriodConsumption,
  { others, now }: { readonly others: readonly PeriodConsumption[]; readonly now: Date },
): CreditAccount {
  const before = account.consumptions.filter(({ period }) => period === consumption.period);
  const change = unitsOf([consumption]).subtract(unitsOf(before));
  return {
    ...account,
    consumptions: [...others, consumption],
    burns: withBurn(account.burns, change, now),
  };
}

function withBurn(burns: readonly DayBurn[], change: Decimal, now: Date): readonly DayBurn[] {
  if (change.compare(none) === 0) return burns;
  const { day } = calendarDayOf(now);
  const known = burns.find((burn) => burn.day === day);
  if (known === undefined) return [...burns, { day, quantity: change.toString() }];
  const quantity = Decimal.parse(known.quantity).add(change).toString();
  return burns.map((burn) => (burn === known ? { day, quantity } : burn));
}

/** Total units burnt by some periods. */
export function unitsOf(consumptions: readonly PeriodConsumption[]): Decimal {
  return [...consumedIn(consumptions).values()].reduce((sum, one) => sum.add(one), none);
}

/** The subscription of a period, by the key of the period. */
export function subscriptionOf(period: string): string {
  return period.slice(0, period.lastIndexOf(':'));
}

// Stored in place of a settlement key.
export const finalSettlement = 'for good';

/**
 * Returns a check that is true for periods that will not be decided again. An earlier period of the
 * same subscription is final, too: a settlement decides periods in order, and leaves out only those
 * that an earlier settlement has decided finally.
 */
export function finalPeriods({
  consumptions,
}: Pick<CreditAccount, 'consumptions'>): (period: string) => boolean {
  const months = new Set<string>();
  const lastIndexes = new Map<string, number>();
  for (const { period, settlement, isFinal, isClosed } of consumptions) {
    if (settlement === finalSettlement) months.add(period);
    else if (isFinal === true || isClosed === true) {
      const subscription = subscriptionOf(period);
      const last = Math.max(lastIndexes.get(subscription) ?? -1, indexOf(period));
      lastIndexes.set(subscription, last);
    }
  }
  return (period) =>
    months.has(period) || indexOf(period) <= (lastIndexes.get(subscriptionOf(period)) ?? -1);
}

/** The index of a subscription's period, by the key of the period. NaN for a month. */
export function indexOf(period: string): number {
  return Number(period.slice(period.lastIndexOf(':') + 1));
}

/** Usage up to marks in stored form. */
export function marksOf(
  marks: readonly (Pick<Burning, 'uses'> & { readonly quantity: Decimal })[] | undefined,
): Pick<PeriodConsumption, 'marks'> {
  if (marks === undefined) return {};
  return {
    marks: marks.map((mark) => ({ quantity: mark.quantity.toString(), uses: usesOf(mark) })),
  };
}

/** Grant uses of a burn result in stored form. */
export function usesOf({ uses }: Pick<Burning, 'uses'>): GrantUse[] {
  return uses.map(({ grantId, quantity }) => ({ grantId, quantity: quantity.toString() }));
}

/** Status of a grant. */
export function statusOf(
  { effectiveAt, expiresAt }: Pick<GrantTerms, 'effectiveAt' | 'expiresAt'>,
  remaining: Decimal,
  now: Date,
): GrantStatus {
  if (remaining.compare(none) <= 0) return 'DEPLETED';
  if (now < effectiveAt) return 'SCHEDULED';
  return expiresAt !== null && expiresAt <= now ? 'EXPIRED' : 'ACTIVE';
}
