import type { Series } from './hour';

/**
 * Key of a series in ids of documents: `<environment>:<customer>:<meter>:<tuple>`. The tuple names
 * dimension values; a meter without dimensions has an empty one.
 */
export function seriesKey(environmentId: string, { customerId, meterId }: Series): string {
  return `${environmentId}:${customerId}:${meterId}:`;
}

/** The environment and the series that a key names. */
export function seriesOfKey(k: string): Series & { readonly environmentId: string } {
  const [environmentId, customerId, meterId] = k.split(':');
  if (environmentId === undefined || customerId === undefined || meterId === undefined) {
    throw new Error(`No key of a series: ${k}`);
  }
  return { environmentId, customerId, meterId };
}
