import { Decimal } from '@billing/kernel/decimal';
import { isSameData } from '@billing/kernel/equality';
import type { Span } from '../usage/hour';
import type { SubscriptionPeriod } from '../usage/subscription-period';
import {
  type ClosedCredits,
  consumedIn,
  type CreditAccount,
  type CreditGrant,
  type DayBurn,
  finalPeriods,
  type MonthlyUnits,
  noneClosed,
  periodKey,
  type PeriodConsumption,
} from './account';
import { isFinal, monthOf, unclaimedMonths } from './unsettled-usage';

/** A grant that no usage can burn any more, and that no period can return units to. */
export interface ClosedGrant {
  readonly terms: Omit<CreditGrant, 'amount' | 'details'>;
  /** Canonical decimal string, as is `consumed`. */
  readonly amount: string;
  readonly consumed: string;
}

/** The decision of a final period, complete. */
export type ClosedPeriod = Pick<PeriodConsumption, 'period' | 'uses'>;

/** The part of an account that is about to be stored outside it. */
export interface Closing {
  readonly grants: readonly ClosedGrant[];
  /** The periods that used one of the grants, unless an earlier closing has stored them. */
  readonly periods: readonly ClosedPeriod[];
  readonly burns: readonly DayBurn[];
}

const none = Decimal.of(0n);
// A settlement changes only the burn of its own day; clocks differ by minutes.
const burnsKeptMs = 40 * 86_400_000;

/**
 * Grants with units left that expired too long ago for any event that they cover, and that no
 * unclaimed month can burn. Periods of subscriptions may still burn them.
 */
export function expiredGrants(account: CreditAccount, now: Date): CreditGrant[] {
  const consumed = consumedIn(account.consumptions);
  const candidates = account.grants.filter(
    ({ id, amount, expiresAt }) =>
      expiresAt !== null &&
      isFinal({ end: expiresAt }, now) &&
      Decimal.parse(amount).compare(consumed.get(id) ?? none) > 0,
  );
  if (candidates.length === 0) return [];
  const months = unclaimedMonths(account, { taken: [], now });
  return candidates.filter((grant) => !months.some(({ window }) => mayCover(grant, window)));
}

/**
 * Returns what can be closed: grants that final periods have used up, grants that expired before
 * all open periods, and burns older than 40 days. `lived` has the customer's periods since the
 * first of the expired grants.
 */
export function closingOf(
  account: CreditAccount,
  { lived, now }: { readonly lived: readonly SubscriptionPeriod[]; readonly now: Date },
): Closing {
  const isOver = finalPeriods(account);
  const consumed = consumedIn(account.consumptions);
  const inUse = new Set(
    account.consumptions
      .filter(({ period }) => !isOver(period))
      .flatMap(({ uses }) => uses.map(({ grantId }) => grantId)),
  );
  const open = lived.filter(
    ({ subscriptionId, index, prices }) =>
      index !== null && prices.has(account.meterId) && !isOver(periodKey(subscriptionId, index)),
  );
  const expired = expiredGrants(account, now).filter(
    (grant) => !open.some(({ span }) => mayCover(grant, span)),
  );
  const left = new Set(expired.map(({ id }) => id));
  const grants = account.grants.filter(({ id, amount }) => {
    if (inUse.has(id)) return false;
    return left.has(id) || Decimal.parse(amount).compare(consumed.get(id) ?? none) <= 0;
  });
  const ids = new Set(grants.map(({ id }) => id));
  const oldest = new Date(now.getTime() - burnsKeptMs).toISOString();
  return {
    grants: grants.map(({ amount, details: _details, ...terms }) => ({
      terms,
      amount,
      consumed: (consumed.get(terms.id) ?? none).toString(),
    })),
    periods: account.consumptions
      .filter(
        ({ uses, isClosed }) => isClosed !== true && uses.some(({ grantId }) => ids.has(grantId)),
      )
      .map(({ period, uses }) => ({ period, uses })),
    burns: account.burns.filter(({ day }) => day < oldest),
  };
}

/** True if there is nothing to close. */
export function isNothing({ grants, burns }: Closing): boolean {
  return grants.length === 0 && burns.length === 0;
}

function mayCover({ createdAt, effectiveAt, expiresAt }: CreditGrant, span: Span): boolean {
  const hasBegun = createdAt < span.end && effectiveAt < span.end;
  return hasBegun && (expiresAt === null || expiresAt > span.start);
}

/**
 * The account without what was stored outside it. Unchanged if the account no longer agrees with
 * that.
 */
export function close(
  account: CreditAccount,
  closing: Closing,
  scope: Parameters<typeof closingOf>[1],
): CreditAccount {
  if (isNothing(closing) || !isSameData(closingOf(account, scope), closing)) return account;
  const ids = new Set(closing.grants.map(({ terms: { id } }) => id));
  const days = new Set(closing.burns.map(({ day }) => day));
  return {
    ...account,
    grants: account.grants.filter(({ id }) => !ids.has(id)),
    consumptions: account.consumptions.map((one) => withoutUses(one, ids)),
    burns: account.burns.filter(({ day }) => !days.has(day)),
    closed: closing.grants.reduce(withClosed, account.closed ?? noneClosed),
  };
}

function withoutUses(consumption: PeriodConsumption, ids: ReadonlySet<string>): PeriodConsumption {
  const { period, settlement, quantity, uses, marks, isFinal: isDecidedFinally } = consumption;
  if (!uses.some(({ grantId }) => ids.has(grantId))) return consumption;
  const left = uses.filter(({ grantId }) => !ids.has(grantId));
  const finality = isDecidedFinally === true ? { isFinal: true } : {};
  const marked = marks === undefined ? {} : { marks };
  return { period, settlement, quantity, uses: left, ...marked, ...finality, isClosed: true };
}

function withClosed(
  sums: ClosedCredits,
  { terms: { expiresAt }, amount, consumed }: ClosedGrant,
): ClosedCredits {
  const left = Decimal.parse(amount).subtract(Decimal.parse(consumed)).toString();
  return {
    count: sums.count + 1,
    granted: plus(sums.granted, amount),
    consumed: plus(sums.consumed, consumed),
    expired: plus(sums.expired, left),
    grantedForever: plus(sums.grantedForever, expiresAt === null ? amount : '0'),
    expiring: expiresAt === null ? sums.expiring : withExpiring(sums.expiring, expiresAt, amount),
  };
}

function withExpiring(
  expiring: readonly MonthlyUnits[],
  expiresAt: Date,
  amount: string,
): readonly MonthlyUnits[] {
  const { start: month } = monthOf(expiresAt);
  const isSame = (one: MonthlyUnits) => one.month.getTime() === month.getTime();
  const granted = plus(expiring.find(isSame)?.granted ?? '0', amount);
  return [...expiring.filter((one) => !isSame(one)), { month, granted }];
}

function plus(a: string, b: string): string {
  return Decimal.parse(a).add(Decimal.parse(b)).toString();
}
