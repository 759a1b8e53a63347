const day = 24 * 60 * 60 * 1_000;

/** For so long of real time what was sent can be looked at, sent again and counted. */
export const keptMs = 30 * day;
