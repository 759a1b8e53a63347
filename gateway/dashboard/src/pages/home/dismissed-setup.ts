const keyOf = (environmentId: string) => `billing.setup-dismissed.${environmentId}`;

/** True if this browser has dismissed the checklist of an environment. */
export function isDismissed(environmentId: string): boolean {
  try {
    return localStorage.getItem(keyOf(environmentId)) !== null;
  } catch {
    // Storage is forbidden.
    return false;
  }
}

/** Hides the checklist of an environment in this browser from now on. */
export function dismiss(environmentId: string): void {
  try {
    localStorage.setItem(keyOf(environmentId), 'yes');
  } catch {
    // Storage is forbidden: the checklist is back with the next visit.
  }
}
