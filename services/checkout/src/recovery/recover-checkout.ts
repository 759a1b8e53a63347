import type { Service } from '@billing/chassis/service';
import { ChargeReassertion, type ChargeDependencies } from './reassert-charges';
import { type CheckoutReassertion, reassertCheckout } from './reassert-checkout';
import { UnmatchedChargeStore } from './unmatched-charge-store';

/** Registers what checkout does after a restore. */
export function recoverCheckout(
  service: Service,
  dependencies: Omit<CheckoutReassertion & ChargeDependencies, 'unmatched' | 'clock' | 'logger'>,
): void {
  const { db, clock, logger } = service;
  const unmatched = new UnmatchedChargeStore(db);
  const own = { ...dependencies, unmatched, clock, logger };
  const charges = new ChargeReassertion(own);
  service.recoverBy({
    reassert: (recovery) => reassertCheckout(recovery, own),
    provider: (recovery) => charges.record(recovery),
    match: (recovery) => charges.match(recovery),
  });
}
