import type { Series } from './hour';

/**
 * Key of a series in ids of documents: `<environment>:<customer>:<meter>:<tuple>`. The tuple names
 * dimension values; a meter without dimensions has an empty one.
 */
export function seriesKey(environmentId: string, { customerId, meterId }: Series): string {
  return `${environmentId}:${customerId}:${meterId}:`;
}
