import { DomainError } from '@billing/kernel/domain-error';
import { type Transition, unchanged } from '@billing/kernel/transition';
import { requireKnown, type RetiredSecret, type WebhookEndpoint } from './endpoint';

const signsOnMs = 24 * 60 * 60 * 1_000;
/**
 * The number of secrets that may sign concurrently. Each lengthens the headers of every webhook,
 * and each keeps its full day.
 */
const signingMax = 10;

/**
 * Gives an endpoint a new secret. Earlier secrets keep signing until the end of their day, however
 * many rotations follow: a caller who retries after a lost response has not configured any other
 * secret yet. A rotation with the same `rotationId` is an idempotent replay and changes nothing.
 */
export function rotateSecret(
  endpoint: WebhookEndpoint,
  { secret, rotationId, now }: { secret: string; rotationId: string; now: Date },
): Transition<WebhookEndpoint, never, never> {
  requireKnown(endpoint);
  if (endpoint.rotationId === rotationId) return unchanged(endpoint);
  const retired = { secret: endpoint.secret, signsUntil: new Date(now.getTime() + signsOnMs) };
  const retiredSecrets = [retired, ...stillSigning(endpoint, now)];
  if (retiredSecrets.length >= signingMax) throw tooManySecrets();
  return { state: { ...endpoint, secret, retiredSecrets, rotationId }, events: [], commands: [] };
}

/** The secrets that sign a webhook at a moment, the newest first. */
export function signingSecrets(
  endpoint: Pick<WebhookEndpoint, 'secret' | 'retiredSecrets'>,
  at: Date,
): string[] {
  return [endpoint.secret, ...stillSigning(endpoint, at).map(({ secret }) => secret)];
}

function stillSigning(
  { retiredSecrets }: Pick<WebhookEndpoint, 'retiredSecrets'>,
  at: Date,
): RetiredSecret[] {
  return retiredSecrets.filter(({ signsUntil }) => signsUntil > at);
}

function tooManySecrets(): DomainError {
  return new DomainError(
    'failed_precondition',
    'TOO_MANY_SECRETS',
    `A webhook endpoint has at most ${String(signingMax)} active signing secrets`,
  );
}
