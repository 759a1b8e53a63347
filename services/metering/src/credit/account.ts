import { calendarDayOf } from '@billing/kernel/calendar-day';
import { Decimal } from '@billing/kernel/decimal';
import { DomainError } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import { creditGrantProblems } from '@billing/kernel/input/credit-grant';
import { parseUnits } from '@billing/kernel/units';
import type { BurnableGrant, Burning, CreditSource, GrantTerms } from './burning';

const priorityDefault = 100;
// All grants of an account are in one document. Expired grants stay, because late events still burn
// them.
const liveGrantsMax = 1_000;
const grantsMax = 10_000;
const metadataBytesMax = 8 * 1024 * 1024;
const none = Decimal.of(0n);

/** Prepaid units of one meter for one customer. */
export interface CreditGrant extends GrantTerms {
  /** Canonical decimal string, above 0. */
  readonly amount: string;
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Units of a grant burnt by a period, as a canonical decimal string. */
export interface GrantUse {
  readonly grantId: string;
  readonly quantity: string;
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
  /** Ids of the grants that were used up: their exact available units affected the decision. */
  readonly limits?: readonly string[];
  /** Digest of all inputs of the decision; absent: more usage may exist than was read. */
  readonly basis?: string;
}

/**
 * Units burnt by the settlements of one day, as a canonical decimal string; below 0 if they
 * returned more than they burnt.
 */
interface DayBurn {
  /** `2026-11-21`, in environment time. */
  readonly day: string;
  readonly quantity: string;
}

/** All grants of a customer for a meter, and their consumption. */
export interface CreditAccount {
  readonly id: string;
  readonly customerId: string;
  readonly meterId: string;
  readonly grants: readonly CreditGrant[];
  readonly consumptions: readonly PeriodConsumption[];
  /** In order of day. Settlements made before this field existed are in none of them. */
  readonly burns: readonly DayBurn[];
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
    name: input.name ?? null,
    effectiveAt,
    expiresAt: input.expiresAt ?? null,
    createdAt: now,
    metadata: input.metadata ?? {},
  };
}

/**
 * Adds a grant; returns the same account if the grant exists. Only unexpired grants count toward
 * the lower limit.
 */
export function addGrant(account: CreditAccount, grant: CreditGrant): CreditAccount {
  if (account.grants.some(({ id }) => id === grant.id)) return account;
  const grants = [...account.grants, grant];
  const { createdAt: now } = grant;
  const live = grants.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  if (live.length > liveGrantsMax) throw tooMany(`${String(liveGrantsMax)} unexpired grants`);
  if (grants.length > grantsMax) throw tooMany(`${String(grantsMax)} grants`);
  const bytes = grants.reduce((sum, { metadata }) => sum + bytesOf(metadata), 0);
  if (bytes > metadataBytesMax)
    throw tooMany(`${String(metadataBytesMax)} bytes of grant metadata`);
  return { ...account, grants };
}

function tooMany(most: string): DomainError {
  return new DomainError(
    'failed_precondition',
    'TOO_MANY_GRANTS',
    `A customer has at most ${most} per meter`,
  );
}

function bytesOf(metadata: CreditGrant['metadata']): number {
  return Buffer.byteLength(JSON.stringify(metadata));
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
  const isOver = ({ period, settlement, uses }: PeriodConsumption) =>
    uses.length === 0 &&
    settlement !== consumption.settlement &&
    subscriptionOf(period) === subscriptionOf(consumption.period);
  const others = account.consumptions.filter(
    (one) => one.period !== consumption.period && !isOver(one),
  );
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

function subscriptionOf(period: string): string {
  return period.slice(0, period.lastIndexOf(':'));
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
