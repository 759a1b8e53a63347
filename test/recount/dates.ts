const dayMs = 86_400_000;

/** `2026-11`, in UTC. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** `2026-11-21`, in UTC. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The given number of months up to that of an instant, oldest first. */
export function monthsUntil(now: Date, count: number): string[] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return Array.from({ length: count }, (_, index) =>
    monthOf(new Date(Date.UTC(year, month - (count - 1 - index)))),
  );
}

/** The given number of days up to that of an instant, oldest first. */
export function daysUntil(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    dayOf(new Date(now.getTime() - (count - 1 - index) * dayMs)),
  );
}
