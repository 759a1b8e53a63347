import type { UnbilledSettlements } from '../subscription/over-limit-state';
import type { Subscription } from '../subscription/subscription';
import type { UsageBilling } from '../subscription/usage-billing';
import type { Settlement } from './settlement';

const settlementsMax = 1_000;

/** Request for a settlement: a new one for each attempt, because a settlement never changes. */
export interface SettlementAttempt extends UnbilledSettlements {
  /** Keys of the settlements that were made and never billed. */
  readonly unbilledKeys: readonly string[];
}

/**
 * Determines the settlement of the next attempt. When no settlement is left, the last one is used
 * again.
 */
export function nextSettlement(
  { unbilled }: UsageBilling,
  { key, through }: Settlement,
): SettlementAttempt {
  const unbilledKeys = unbilled.flatMap((one) =>
    Array.from({ length: one.tries }, (_, index) => attemptKey({ ...one, tries: index + 1 })),
  );
  const attempts = unbilled.find((one) => one.key === key)?.tries ?? 0;
  const tries = unbilledKeys.length < settlementsMax || attempts === 0 ? attempts + 1 : attempts;
  return { key, through, tries, unbilledKeys };
}

/** The keys of the next attempt's settlement and of those that were never billed, for metering. */
export function settlementKeys(
  usage: UsageBilling,
  settlement: Settlement,
): { readonly key: string; readonly unbilledKeys: string[] } {
  const attempt = nextSettlement(usage, settlement);
  return { key: attemptKey(attempt), unbilledKeys: [...attempt.unbilledKeys] };
}

/** Derives the key of an attempt's settlement. */
export function attemptKey({ key, tries }: UnbilledSettlements): string {
  return tries === 1 ? key : `${key}/${String(tries)}`;
}

/** The attempts of settlements that were just made. */
export function attemptsOf(
  { usage }: Pick<Subscription, 'usage'>,
  settlements: readonly Settlement[],
): UnbilledSettlements[] {
  return settlements.map((settlement) => {
    const { key, through, tries } = nextSettlement(usage, settlement);
    return { key, through, tries };
  });
}

/** The subscription with settlements that no invoice bills. */
export function withUnbilled(
  subscription: Subscription,
  attempts: readonly UnbilledSettlements[],
): Subscription {
  const { usage } = subscription;
  return {
    ...subscription,
    usage: { ...usage, unbilled: attempts.reduce(withAttempt, usage.unbilled) },
  };
}

function withAttempt(
  unbilled: readonly UnbilledSettlements[],
  { key, through, tries }: UnbilledSettlements,
): readonly UnbilledSettlements[] {
  const known = unbilled.find((one) => one.key === key);
  if (known === undefined) return [...unbilled, { key, through, tries }];
  if (known.tries >= tries) return unbilled;
  return unbilled.map((one) => (one === known ? { ...one, tries } : one));
}
