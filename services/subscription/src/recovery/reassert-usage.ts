import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { usageLinesOf } from '../billing/describe-end-bill';
import { adoptUsage, type BilledLine, type SettlementDependencies } from '../peer/metering';
import type { Subscription } from '../subscription/subscription';
import { type Settlement, settlementAtCycleEnd, settlementBefore } from '../usage/settlement';
import type { UsageLine } from '../usage/usage-line';

/** An invoice that stands, and the period that it bills in advance. */
export interface StandingBill {
  readonly periodIndex: number;
  readonly invoice: Invoice;
}

/** An invoice that stands, and the last period of the cycle whose usage it bills. */
export interface StandingCycleEnd {
  readonly endedPeriod: number;
  readonly invoice: Invoice;
}

/** An invoice that stands, and the settlement that it has billed. */
export interface SettledInvoice {
  readonly settlement: Settlement;
  readonly invoice: Invoice;
  /** Lines taken over from another invoice, which has a settlement of its own. */
  readonly owed: readonly UsageLine[];
}

/** Gives metering the usage that the invoice of a period has billed; see `adoptInvoice`. */
export async function adoptPeriodUsage(
  stored: Stored<Subscription>,
  { periodIndex, invoice }: StandingBill,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<void> {
  const settlement = settlementBefore(periodIndex);
  await adoptInvoice(stored, { settlement, invoice, owed: [] }, context, dependencies);
}

/** The same for the invoice of the end of a cycle. */
export async function adoptCycleEndUsage(
  stored: Stored<Subscription>,
  { endedPeriod, invoice }: StandingCycleEnd,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<void> {
  const settlement = settlementAtCycleEnd(endedPeriod);
  await adoptInvoice(stored, { settlement, invoice, owed: [] }, context, dependencies);
}

/**
 * The same for the final invoice. `owed` are the lines that it has taken over from the invoice of
 * the last period.
 */
export async function adoptFinalUsage(
  stored: Stored<Subscription>,
  { invoice, owed }: Omit<SettledInvoice, 'settlement'>,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<void> {
  const settlement: Settlement = { key: 'end', through: stored.state.periodIndex ?? 0 };
  await adoptInvoice(stored, { settlement, invoice, owed }, context, dependencies);
}

/** Reason of the error where an invoice has usage that metering refuses. */
export const usageRefused = 'BILLED_USAGE_REFUSED';

/**
 * Gives metering the usage that an invoice has billed, in case a restore has lost its settlement:
 * events that are sent again are then not billed twice. Throws `usageRefused`, and changes nothing,
 * if no meter can have such usage.
 */
export async function adoptInvoice(
  stored: Stored<Subscription>,
  { settlement, invoice, owed }: SettledInvoice,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<void> {
  const taken = owed.map(billedLine).map(negated);
  const lines = [...usageLinesOf(invoice).map(billedLine), ...taken];
  try {
    await adoptUsage(stored, { settlement, lines }, context, dependencies);
  } catch (cause) {
    if (!(cause instanceof DomainError) || cause.kind !== 'invalid_input') throw cause;
    const message = `The usage of invoice ${invoice.id} was refused`;
    throw new DomainError('failed_precondition', usageRefused, message, { cause });
  }
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
