import type { Subscription } from './subscription';

/**
 * The steps of a subscription's life that revenue figures follow. Each is reached once and
 * permanently.
 */
const lifeSteps = ['TRIAL_BEGUN', 'TRIAL_LEFT', 'STARTED', 'ENDED'] as const;
type LifeStep = (typeof lifeSteps)[number];

/** The n-th change of its revenue, counted from 1. */
type ChangeStep = `CHANGED_${number}`;

export type ReportedStep = LifeStep | ChangeStep;

const changePrefix = 'CHANGED_';

/** True for a step that revenue figures follow. */
export function isReportedStep(step: string): step is ReportedStep {
  return isChangeStep(step) || (lifeSteps as readonly string[]).includes(step);
}

/** True for a change of revenue. */
export function isChangeStep(step: string): step is ChangeStep {
  return step.startsWith(changePrefix);
}

function changeStepOf(index: number): ChangeStep {
  return `${changePrefix}${String(index + 1)}` as ChangeStep;
}

/** Index of a change of revenue, from 0. */
export function changeIndexOf(step: ChangeStep): number {
  return Number(step.slice(changePrefix.length)) - 1;
}

/**
 * Lists the steps that a subscription has reached. A late step is reached when it is taken, and
 * counts for the time when it was due.
 */
export function stepsReached({
  phase,
  trialStart,
  periodIndex,
  changes,
}: Pick<Subscription, 'phase' | 'trialStart' | 'periodIndex' | 'changes'>): ReportedStep[] {
  const hasTrial = trialStart !== null && phase !== 'SCHEDULED';
  const isPastTrial = phase !== 'SCHEDULED' && phase !== 'TRIAL';
  const isBilled = periodIndex !== null;
  const changed = changes.revenue.map((_step, index) => changeStepOf(index));
  const reached = lifeSteps.filter((step) => {
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
  return [...reached, ...changed];
}
