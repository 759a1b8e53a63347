import { DomainError } from '@billing/kernel/domain-error';
import { type Transition, unchanged } from '@billing/kernel/transition';
import { requireKnown, type WebhookEndpoint } from './webhook-endpoint';

/** A secret before the present one. It goes on signing for a day, so that receivers can be told the new one in between. */
export interface RetiredSecret {
  readonly secret: string;
  /** Real time. */
  readonly signsUntil: Date;
}

const signsOnMs = 24 * 60 * 60 * 1_000;
/** So many secrets may sign at once. Each makes every webhook's headers longer, and each was promised its day. */
const signingMax = 10;

/**
 * Gives an endpoint another secret. Those before it keep the day that each was promised, however often it is done: a caller who repeats
 * it for want of an answer has not yet told its receivers any other. `rotationId` tells such a repeat, where it is known as one: it
 * changes nothing.
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

/** All that sign a webhook at a moment, the newest first. */
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
    `A webhook endpoint has at most ${String(signingMax)} secrets that sign within a day`,
  );
}
