/**
 * Security headers of every response: no type sniffing, no framing, no caching. Pages and documents
 * add further headers. No CORS headers are set, since keys do not belong in browsers.
 */
export function securityHeaders({
  hstsMaxAgeSeconds,
}: {
  /** `max-age` of Strict-Transport-Security; 0 without TLS in front. */
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
