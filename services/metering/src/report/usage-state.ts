import { Decimal } from '@billing/kernel/decimal';
import { isAmount, sumOf } from '@billing/kernel/money';
import { type Usage, usageCharge } from '@billing/kernel/usage-pricing';
import { stretchCharges } from '@billing/kernel/usage-stretches';
import { consumedIn, type CreditAccount, type CreditGrant } from '../credit/account';
import type { UsageTerms } from '../credit/running-usage';
import type { BurntUsage, UsageMark } from '../credit/usage-window';
import type { Span } from '../usage/hour';

/** Usage of a meter in the running period, and what is left for the customer. */
export interface UsageState {
  readonly usage: Decimal;
  readonly includedUnits: Decimal;
  readonly creditsGranted: Decimal;
  readonly creditsRemaining: Decimal;
  /** May be below 0. */
  readonly balance: Decimal;
  readonly overage: Decimal;
  /** Undefined without a price, and above the largest amount. */
  readonly estimatedAmount: bigint | undefined;
  readonly entitled: boolean;
}

const none = Decimal.of(0n);

/** Combines usage, included units and credits into a state. */
export function usageState(
  burnt: BurntUsage,
  {
    period,
    now,
    account,
    closedUnits = none,
    terms,
    used,
  }: {
    readonly period: Span;
    readonly now: Date;
    /** The account after the period so far. */
    readonly account: Pick<CreditAccount, 'grants' | 'consumptions'> | undefined;
    /** Units of closed grants that cover usage of the period. */
    readonly closedUnits?: Decimal;
    readonly terms: UsageTerms | undefined;
    /** All usage of the period, including what other subscriptions claim. */
    readonly used: Decimal;
  },
): UsageState {
  const includedUnits = terms === undefined ? none : Decimal.parse(terms.price.includedUnits);
  const meeting = (account?.grants ?? []).filter(
    ({ effectiveAt, expiresAt }) =>
      effectiveAt < period.end && (expiresAt === null || expiresAt > period.start),
  );
  const consumed = consumedIn(account?.consumptions ?? []);
  const left = ({ id, amount }: CreditGrant) =>
    Decimal.parse(amount).subtract(consumed.get(id) ?? none);
  const usable = meeting.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const creditsRemaining = sum(usable.map(left));
  const credited = sum(burnt.uses.map(({ quantity }) => quantity));
  const balance = includedUnits.add(creditsRemaining).add(credited).subtract(burnt.quantity);
  return {
    usage: used,
    includedUnits,
    creditsGranted: sum(meeting.map(({ amount }) => Decimal.parse(amount))).add(closedUnits),
    creditsRemaining,
    balance,
    overage: burnt.overage,
    estimatedAmount: terms === undefined ? undefined : estimate(terms, burnt),
    entitled: balance.compare(none) > 0 || terms?.entitled === true,
  };
}

/**
 * Amount that a bill would charge now; undefined above the invoice limit, where a person has to
 * decide.
 */
function estimate({ isTrial, price, stretchPrices }: UsageTerms, burnt: BurntUsage) {
  if (isTrial) return 0n;
  const marks = [...(burnt.marks ?? []), burnt];
  const amount =
    stretchPrices?.length === marks.length
      ? sumOf(
          stretchCharges(
            stretchPrices.map((one, index) => ({
              price: one,
              usage: usageAt(marks[index] ?? burnt),
            })),
          ).map((charge) => charge.amount),
        )
      : usageCharge(price, usageAt(burnt)).amount;
  return isAmount(amount) ? amount : undefined;
}

function usageAt({ quantity, uses }: UsageMark): Usage {
  const credited = sum(uses.map((use) => use.quantity));
  return { quantity: quantity.toString(), creditedUnits: credited.toString() };
}

function sum(all: readonly Decimal[]): Decimal {
  return all.reduce((total, one) => total.add(one), none);
}
