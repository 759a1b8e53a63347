import type { EnvironmentRoute } from './operator-route';

/** What the dashboard shows of an environment beside what the public API tells. */
export const reportRoutes: readonly EnvironmentRoute[] = [];
