/** Documents of one sandbox that are handled before the next sandbox has its turn. */
export const turnMax = 50;

/** Fields that decide the order of due documents. */
export interface Ordered {
  readonly live: boolean;
  readonly environmentId: string;
}

/**
 * Orders due documents: first those of live environments, then those of sandboxes in turn. Within
 * an environment the order stays.
 */
export function inTurns<D extends Ordered>(documents: readonly D[]): D[] {
  const sandboxes = Map.groupBy(
    documents.filter(({ live }) => !live),
    ({ environmentId }) => environmentId,
  );
  const queues = [...sandboxes.values()];
  const turns: D[] = [];
  for (let from = 0; queues.some(({ length }) => length > from); from += turnMax) {
    for (const queue of queues) turns.push(...queue.slice(from, from + turnMax));
  }
  return [...documents.filter(({ live }) => live), ...turns];
}
