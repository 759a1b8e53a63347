import { calendarDayOf } from '@billing/kernel/calendar-day';
import { Decimal } from '@billing/kernel/decimal';
import { DomainError } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import { creditGrantProblems } from '@billing/kernel/input/credit-grant';
import { parseUnits } from '@billing/kernel/units';
import type { BurnableGrant, Burning, CreditSource, GrantTerms } from './credit-burning';

const priorityDefault = 100;
// All grants of an account lie in one document, and expired ones stay there: events that come late still burn them.
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

/** Units of a grant that a period has burnt, in a canonical decimal string. */
export interface GrantUse {
  readonly grantId: string;
  readonly quantity: string;
}

/** What a period has burnt, all in all. */
export interface PeriodConsumption {
  /** Of the period; see periodKey. */
  readonly period: string;
  /** The settlement that decided it. */
  readonly settlement: string;
  /** The usage that it was decided for. */
  readonly quantity: string;
  readonly uses: readonly GrantUse[];
  /** Grants of which it was decided by how much exactly they had available. */
  readonly limits?: readonly string[];
  /** Names all that it was decided from; absent: more may have come unnoticed. */
  readonly basis?: string;
}

/** Units that the settlements of one day burnt, in a canonical decimal string; below 0 where they gave back more. */
export interface DayBurn {
  /** `2026-11-21`, by the environment's clock. */
  readonly day: string;
  readonly quantity: string;
}

/** All grants of a customer for a meter, and what has become of them. */
export interface CreditAccount {
  readonly id: string;
  readonly customerId: string;
  readonly meterId: string;
  readonly grants: readonly CreditGrant[];
  readonly consumptions: readonly PeriodConsumption[];
  /** In order; what was settled before they were written down is in none of them. */
  readonly burns: readonly DayBurn[];
}

/** A grant as it was sent. */
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

/** A new grant. Refuses the input once, for everything that is wrong with it. */
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
  if (source === 'UNKNOWN') throw new Error('The source was not checked');
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

/** The account with one more grant; the very same one where it has the grant already. Only those that have not expired count for long. */
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

/** Names a period of a subscription among all. */
export function periodKey(subscriptionId: string, index: number): string {
  return `${subscriptionId}:${String(index)}`;
}

/** What every grant has for a period: all that other periods have left of it. */
export function grantsFor(account: CreditAccount, period: string | undefined): BurnableGrant[] {
  const others = account.consumptions.filter((one) => one.period !== period);
  const consumed = consumedIn(others);
  return account.grants.map((grant) => ({
    ...grant,
    available: Decimal.parse(grant.amount).subtract(consumed.get(grant.id) ?? none),
  }));
}

/** What each grant has given, by its id. */
export function consumedIn(consumptions: readonly PeriodConsumption[]): Map<string, Decimal> {
  const consumed = new Map<string, Decimal>();
  for (const { grantId, quantity } of consumptions.flatMap(({ uses }) => uses)) {
    consumed.set(grantId, (consumed.get(grantId) ?? none).add(Decimal.parse(quantity)));
  }
  return consumed;
}

/** What a settlement has decided about a period; undefined if it has not. */
export function decidedBy(
  account: CreditAccount,
  { period, settlement }: Pick<PeriodConsumption, 'period' | 'settlement'>,
): PeriodConsumption | undefined {
  return account.consumptions.find((one) => one.period === period && one.settlement === settlement);
}

/**
 * The account after a period has burnt so much, all in all; what it had burnt before counts no more. What burnt nothing is remembered only
 * until the subscription's next settlement, which begins when the one before is kept: an account without grants does not grow.
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

/** Units that some periods have burnt, all in all. */
export function unitsOf(consumptions: readonly PeriodConsumption[]): Decimal {
  return [...consumedIn(consumptions).values()].reduce((sum, one) => sum.add(one), none);
}

function subscriptionOf(period: string): string {
  return period.slice(0, period.lastIndexOf(':'));
}

/** Units of a burning in the form in which they are kept. */
export function usesOf({ uses }: Pick<Burning, 'uses'>): GrantUse[] {
  return uses.map(({ grantId, quantity }) => ({ grantId, quantity: quantity.toString() }));
}

/** Where a grant stands. */
export function statusOf(
  { effectiveAt, expiresAt }: Pick<GrantTerms, 'effectiveAt' | 'expiresAt'>,
  remaining: Decimal,
  now: Date,
): GrantStatus {
  if (remaining.compare(none) <= 0) return 'DEPLETED';
  if (now < effectiveAt) return 'SCHEDULED';
  return expiresAt !== null && expiresAt <= now ? 'EXPIRED' : 'ACTIVE';
}
