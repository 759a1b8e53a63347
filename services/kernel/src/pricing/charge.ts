import type { Decimal } from '../decimal';
import type { TierCharge } from './tiers';

/**
 * Units priced by one tier, in exact decimal strings: `quantity` × `unitAmount` + `flatAmount` =
 * `amount`.
 */
export interface WalkedTier {
  readonly upTo: string | null;
  readonly quantity: string;
  readonly unitAmount: string;
  readonly flatAmount: string;
  readonly amount: string;
}

/**
 * Calculation of an amount, in exact decimal strings; `exactAmount` rounded half up is the amount.
 */
export interface ChargeDetails {
  /** Tiers that priced any unit, in order; empty if the price has no tiers. */
  readonly tiers: readonly WalkedTier[];
  /** Units included in the price, used or not. */
  readonly includedUnits: string;
  /** Priced units. */
  readonly billedQuantity: string;
  /** In minor units. */
  readonly exactAmount: string;
}

/**
 * Charge of a price on an invoice line. `amount`, in minor units, is rounded once and may exceed
 * the maximum amount: callers that offer or bill it check with `isAmount`.
 */
export interface Charge {
  /** Units of the line, a decimal string. */
  readonly quantity: string;
  /** Rate, a decimal string in minor units; absent if the price has tiers. */
  readonly unitAmount: string | undefined;
  readonly amount: bigint;
  readonly details: ChargeDetails;
}

/** Parts of a charge; `exactAmount` in minor units. */
export interface ExactCharge {
  readonly quantity: Decimal;
  readonly unitAmount: Decimal | undefined;
  readonly tiers: readonly TierCharge[];
  readonly includedUnits: Decimal;
  readonly billedQuantity: Decimal;
  readonly exactAmount: Decimal;
}

/** Rounds a charge, once, and adds its calculation. */
export function roundedCharge(exact: ExactCharge): Charge {
  return {
    quantity: exact.quantity.toString(),
    unitAmount: exact.unitAmount?.toString(),
    amount: exact.exactAmount.roundHalfUp(),
    details: {
      tiers: exact.tiers.map(({ tier, quantity, amount }) => ({
        upTo: tier.upTo,
        quantity: quantity.toString(),
        unitAmount: tier.unitAmount,
        flatAmount: tier.flatAmount,
        amount: amount.toString(),
      })),
      includedUnits: exact.includedUnits.toString(),
      billedQuantity: exact.billedQuantity.toString(),
      exactAmount: exact.exactAmount.toString(),
    },
  };
}
