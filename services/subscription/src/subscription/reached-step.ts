import type { Subscription } from './subscription';

/**
 * The steps of a subscription's life that revenue figures follow. Each is reached once and
 * permanently.
 */
export const reportedSteps = ['TRIAL_BEGUN', 'TRIAL_LEFT', 'STARTED', 'ENDED'] as const;
export type ReportedStep = (typeof reportedSteps)[number];

/**
 * Lists the steps that a subscription has reached. A late step is reached when it is taken, and
 * counts for the time when it was due.
 */
export function stepsReached({
  phase,
  trialStart,
  periodIndex,
}: Pick<Subscription, 'phase' | 'trialStart' | 'periodIndex'>): ReportedStep[] {
  const hasTrial = trialStart !== null && phase !== 'SCHEDULED';
  const isPastTrial = phase === 'REGULAR' || phase === 'ENDED';
  const isBilled = periodIndex !== null;
  return reportedSteps.filter((step) => {
    switch (step) {
      case 'TRIAL_BEGUN':
        return hasTrial;
      case 'TRIAL_LEFT':
        return hasTrial && isPastTrial;
      case 'STARTED':
        return isBilled;
      case 'ENDED':
        return isBilled && phase === 'ENDED';
    }
  });
}
