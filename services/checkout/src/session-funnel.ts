import type { Session } from './session';

/** The steps of a session that the funnel counts. Each is reached once, for good. */
export const funnelSteps = ['CREATED', 'COMPLETED', 'EXPIRED'] as const;
export type FunnelStep = (typeof funnelSteps)[number];

/** Those that a session has reached. One that nobody could ever have paid was not made. */
export function funnelStepsReached({
  phase,
  total,
}: Pick<Session, 'phase' | 'total'>): FunnelStep[] {
  if (total === undefined) return [];
  if (phase === 'COMPLETE') return ['CREATED', 'COMPLETED'];
  return phase === 'EXPIRED' ? ['CREATED', 'EXPIRED'] : ['CREATED'];
}

/** What became of the sessions that were made on one day. */
export interface FunnelDay {
  readonly day: string;
  readonly created: bigint;
  readonly completed: bigint;
  readonly expired: bigint;
}

/** What a step adds to the day on which its session was made. */
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

/** The days that were asked for, those without a session too. */
export function funnelReport(sums: readonly FunnelDay[], days: readonly string[]): FunnelDay[] {
  const byDay = new Map(sums.map((sum) => [sum.day, sum]));
  return days.map((day) => byDay.get(day) ?? { day, created: 0n, completed: 0n, expired: 0n });
}
