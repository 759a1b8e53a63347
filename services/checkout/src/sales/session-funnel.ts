import type { Session } from './session';

/** Steps of a session that the funnel counts. Each is reached once and never left. */
export const funnelSteps = ['CREATED', 'COMPLETED', 'EXPIRED'] as const;
export type FunnelStep = (typeof funnelSteps)[number];

/** Steps that a session has reached. A session that was never payable does not count as created. */
export function funnelStepsReached({
  phase,
  total,
}: Pick<Session, 'phase' | 'total'>): FunnelStep[] {
  if (total === undefined) return [];
  if (phase === 'COMPLETE') return ['CREATED', 'COMPLETED'];
  return phase === 'EXPIRED' ? ['CREATED', 'EXPIRED'] : ['CREATED'];
}

/** Results of the sessions created on one day. */
export interface FunnelDay {
  readonly day: string;
  readonly created: bigint;
  readonly completed: bigint;
  readonly expired: bigint;
}

/** Counts that a step adds to the day on which its session was created. */
export function funnelAddend(step: FunnelStep): Readonly<Record<string, bigint>> {
  switch (step) {
    case 'CREATED':
      return { created: 1n };
    case 'COMPLETED':
      return { completed: 1n };
    case 'EXPIRED':
      return { expired: 1n };
  }
}

/** The requested days, including those without a session. */
export function funnelReport(sums: readonly FunnelDay[], days: readonly string[]): FunnelDay[] {
  const byDay = new Map(sums.map((sum) => [sum.day, sum]));
  return days.map((day) => byDay.get(day) ?? { day, created: 0n, completed: 0n, expired: 0n });
}
