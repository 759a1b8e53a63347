import type { Delivery } from './delivery';

/** Numbers of deliveries by outcome. */
export interface DeliveryOutcomes {
  readonly delivered: number;
  /** Abandoned, or failed at the last attempt. */
  readonly failed: number;
}

/** The current outcomes. */
export interface StandingOutcomes extends DeliveryOutcomes {
  /** True if no delivery is pending, so that the numbers change only on request. */
  readonly isSettled: boolean;
}

/** The number of deliveries with the same state. */
export interface DeliveryGroup extends Pick<Delivery, 'status' | 'hasArrived'> {
  readonly hasFailed: boolean;
  readonly count: number;
}

const noOutcomes: DeliveryOutcomes = { delivered: 0, failed: 0 };

/**
 * Counts a delivery that has once arrived as delivered, even if a later resend failed. A delivery
 * without an attempt counts as neither.
 */
export function outcomesOf(groups: Iterable<DeliveryGroup>): StandingOutcomes {
  let { delivered, failed } = noOutcomes;
  let isSettled = true;
  for (const { status, hasArrived, hasFailed, count } of groups) {
    if (status === 'PENDING') isSettled = false;
    if (status === 'DELIVERED' || hasArrived === true) delivered += count;
    else if (status === 'FAILED' || hasFailed) failed += count;
  }
  return { delivered, failed, isSettled };
}
