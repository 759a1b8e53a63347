const day = 24 * 60 * 60 * 1_000;

/** Period of real time during which sent webhooks can be listed, resent and counted. */
export const retentionMs = 30 * day;
