import type { Delivery } from './delivery-store';

/** How some deliveries came out. */
export interface DeliveryOutcomes {
  readonly delivered: number;
  /** Given up, or failed when last tried. */
  readonly failed: number;
}

/** How they stand now. */
export interface StandingOutcomes extends DeliveryOutcomes {
  /** Nothing is on its way: they change no more by themselves. */
  readonly isSettled: boolean;
}

/** Deliveries that stand alike, and how many they are. */
export interface DeliveryGroup extends Pick<Delivery, 'status' | 'hasArrived'> {
  readonly hasFailed: boolean;
  readonly count: number;
}

const noOutcomes: DeliveryOutcomes = { delivered: 0, failed: 0 };

/** What has arrived once has arrived, whatever became of it when somebody asked for it again. What nobody has tried is neither. */
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
