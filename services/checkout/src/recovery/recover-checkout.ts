import type { Service } from '@billing/chassis/service';
import { ChargeReassertion, type ChargeDependencies } from './reassert-charges';
import { type CheckoutReassertion, reassertCheckout } from './reassert-checkout';
import { ReturnReassertion, type ReturnDependencies } from './reassert-returns';
import { UnmatchedChargeStore } from './unmatched-charge-store';

const lookForRefundsEveryMs = 5 * 60_000;

/** Registers what checkout does after a restore. */
export function recoverCheckout(
  service: Service,
  dependencies: Omit<
    CheckoutReassertion & ChargeDependencies & ReturnDependencies,
    'unmatched' | 'returns' | 'clock' | 'logger'
  >,
): void {
  const { db, clock, logger, metrics } = service;
  const unmatched = new UnmatchedChargeStore(db, clock);
  const own = { ...dependencies, unmatched, clock, logger };
  const charges = new ChargeReassertion({ ...own, returns: new ReturnReassertion(own) });
  service.recoverBy({
    reassert: (recovery) => reassertCheckout(recovery, own),
    provider: (recovery) => charges.record(recovery),
    match: (recovery) => charges.match(recovery),
  });
  metrics.observe('unmatchedCharges', async () => [
    { value: await unmatched.countUnreturned(), attributes: {} },
  ]);
  service.every({
    name: 'look for refunds of unmatched charges',
    everyMs: lookForRefundsEveryMs,
    run: () => unmatched.recordReturns((id) => dependencies.charges.isReturned(id)),
    onOneReplica: true,
  });
}
