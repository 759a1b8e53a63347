/**
 * What every answer says to whoever shows or keeps it: it is what its type says, belongs to
 * nobody's frame and into nobody's cache. Pages and documents say more of themselves. Nothing
 * allows other origins to read answers: keys are no business of browsers.
 */
export function securityHeaders({
  hstsMaxAgeSeconds,
}: {
  /** How long browsers shall insist on TLS; 0 where there is none in front. */
  readonly hstsMaxAgeSeconds: number;
}): Readonly<Record<string, string>> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    ...(hstsMaxAgeSeconds > 0 && {
      'Strict-Transport-Security': `max-age=${String(hstsMaxAgeSeconds)}`,
    }),
  };
}
