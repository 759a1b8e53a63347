import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { usageLinesOf } from '../billing/describe-end-bill';
import { adoptUsage, type BilledLine, type SettlementDependencies } from '../peer/metering';
import type { Subscription } from '../subscription/subscription';
import { type Settlement, settlementBefore } from '../usage/settlement';
import type { UsageLine } from '../usage/usage-line';

/** An invoice that stands, and the period that it bills in advance. */
export interface StandingBill {
  readonly periodIndex: number;
  readonly invoice: Invoice;
}

/**
 * Gives metering the usage that the invoice of a period has billed, in case a restore has lost its
 * settlement: events that are sent again are then not billed twice.
 */
export async function adoptPeriodUsage(
  stored: Stored<Subscription>,
  { periodIndex, invoice }: StandingBill,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<void> {
  const lines = usageLinesOf(invoice).map(billedLine);
  const settlement = settlementBefore(periodIndex);
  await adoptUsage(stored, { settlement, lines }, context, dependencies);
}

/**
 * The same for the final invoice. `owed` are the lines that it has taken over from the invoice of
 * the last period, which has a settlement of its own.
 */
export async function adoptFinalUsage(
  stored: Stored<Subscription>,
  { invoice, owed }: { readonly invoice: Invoice; readonly owed: readonly UsageLine[] },
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<void> {
  const taken = owed.map(billedLine).map(negated);
  const lines = [...usageLinesOf(invoice).map(billedLine), ...taken];
  const settlement: Settlement = { key: 'end', through: stored.state.periodIndex ?? 0 };
  await adoptUsage(stored, { settlement, lines }, context, dependencies);
}

function billedLine({ meterId, quantity, period, details }: UsageLine): BilledLine {
  return { meterId, quantity, period, creditsUsed: details.creditsUsed };
}

function negated({ quantity, creditsUsed, ...line }: BilledLine): BilledLine {
  const opposite = (units: string) => (units.startsWith('-') ? units.slice(1) : `-${units}`);
  return {
    ...line,
    quantity: opposite(quantity),
    creditsUsed: creditsUsed.map((use) => ({ ...use, quantity: opposite(use.quantity) })),
  };
}
