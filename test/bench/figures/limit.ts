import type { SideFigures } from './comparison';

/** Resource that kept a side from a higher rate. */
export type Limit = 'processors' | `core of ${string}` | 'waiting';

// Share of all processors, or of one core for a service.
const busyShare = 0.9;

/** Cores kept busy at the median rate, by process. */
export function busyCores({
  perSecond,
  cpuMs,
}: Pick<SideFigures, 'perSecond' | 'cpuMs'>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(cpuMs).map(([process, ms]) => [process, (ms * perSecond.median) / 1_000]),
  );
}

/**
 * Returns what limited the rate: all processors, the core of the busiest service, or neither, so
 * that work waited for writes of the database or for calls.
 */
export function limitOf(
  busy: Readonly<Record<string, number>>,
  { cores, services }: { readonly cores: number; readonly services: readonly string[] },
): Limit {
  const sum = Object.values(busy).reduce((total, one) => total + one, 0);
  if (sum >= busyShare * cores) return 'processors';
  // A service runs on one core, a database on several.
  const [busiest = ''] = services.toSorted((a, b) => (busy[b] ?? 0) - (busy[a] ?? 0));
  return (busy[busiest] ?? 0) >= busyShare ? `core of ${busiest}` : 'waiting';
}
