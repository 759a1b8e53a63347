const dayMs = 86_400_000;

/** Time from the warning of a trial's end to that end. */
export const trialWarningMs = 3 * dayMs;

/** Time from the warning of a renewal to the renewal. */
export const renewalWarningMs = 30 * dayMs;
