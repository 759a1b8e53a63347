import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Token for the browser that ordered at a link. It names the visitor's session, and no page shows
 * it.
 */
export function visitTokenOf(sessionId: string, secret: string): string {
  const proof = createHmac('sha256', secret).update(`visit:${sessionId}`).digest('base64url');
  return `${sessionId}.${proof}`;
}

/** Session that a token names; undefined if none of the secrets created the token. */
export function sessionOfVisit(token: string, secrets: readonly string[]): string | undefined {
  const sessionId = token.split('.', 1)[0] ?? '';
  const sent = Buffer.from(token);
  const isOurs = secrets.some((secret) => {
    const expected = Buffer.from(visitTokenOf(sessionId, secret));
    return expected.length === sent.length && timingSafeEqual(expected, sent);
  });
  return isOurs ? sessionId : undefined;
}
