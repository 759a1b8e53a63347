import { notFound } from '@billing/kernel/domain-error';
import { type InputProblems, refuseProblems, textProblems } from '@billing/kernel/input-problems';
import { type Transition, unchanged } from '@billing/kernel/transition';
import { type AddressPolicy, isAllowedHost } from './public-address';

/** The kinds of events an endpoint can ask for; all of them unless it says otherwise. */
export const eventTypes: readonly string[] = [
  'subscription.created',
  'subscription.updated',
  'subscription.canceled',
  'subscription.renewed',
  'subscription.payment_succeeded',
  'subscription.payment_failed',
];

/** An environment has at most this many endpoints. */
export const endpointsMax = 10;

const urlLengthMax = 2048;
const descriptionLengthMax = 200;

/** Where webhooks of an environment are sent. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | undefined;
  /** False once the receiver said that it is gone, or failed for days. */
  readonly active: boolean;
  /** `whsec_…`, readable because every delivery is signed with it; empty once deleted. */
  readonly secret: string;
  /** A deleted endpoint stays as a mark, so that nothing that comes late brings it back. */
  readonly deletedAt: Date | undefined;
}

/** What a caller says of a new endpoint. */
export interface Registration {
  readonly url: string;
  /** Empty: every kind. */
  readonly events: readonly string[];
  readonly description: string | undefined;
  readonly active: boolean | undefined;
}

/** A new endpoint; refuses what cannot be sent to. */
export function register(
  registration: Registration,
  { id, secret, policy }: { id: string; secret: string; policy: AddressPolicy },
): Transition<WebhookEndpoint, never, never> {
  refuseProblems(problemsOf(registration, policy));
  const { url, events, description, active = true } = registration;
  const wanted = events.length === 0 ? eventTypes : [...new Set(events)];
  return {
    state: { id, url, events: wanted, description, active, secret, deletedAt: undefined },
    events: [],
    commands: [],
  };
}

/** Ends an endpoint for good, and forgets its secret. It is unknown from then on, also to a second deletion. */
export function remove(
  endpoint: WebhookEndpoint,
  now: Date,
): Transition<WebhookEndpoint, never, never> {
  requireKnown(endpoint);
  return {
    state: { ...endpoint, active: false, secret: '', deletedAt: now },
    events: [],
    commands: [],
  };
}

/** The mark that stands in the place of an endpoint that was never stored, so that it cannot be stored any more. */
export function neverRegistered(id: string, now: Date): Transition<WebhookEndpoint, never, never> {
  const state = {
    id,
    url: '',
    events: [],
    description: undefined,
    active: false,
    secret: '',
    deletedAt: now,
  };
  return { state, events: [], commands: [] };
}

/** Stops sending to an endpoint, which stays registered. */
export function disable(endpoint: WebhookEndpoint): Transition<WebhookEndpoint, never, never> {
  if (!endpoint.active) return unchanged(endpoint);
  return { state: { ...endpoint, active: false }, events: [], commands: [] };
}

/** Throws not_found for an endpoint that was deleted. */
export function requireKnown(endpoint: WebhookEndpoint): void {
  if (endpoint.deletedAt !== undefined) throw notFound('Webhook endpoint');
}

function problemsOf(
  { url, events, description }: Registration,
  policy: AddressPolicy,
): InputProblems {
  return {
    url: urlProblems(url, policy),
    events: events.flatMap((type, index) =>
      eventTypes.includes(type) ? [] : [`${String(index)}: Unknown event`],
    ),
    description:
      description === undefined ? [] : textProblems(description, { max: descriptionLengthMax }),
  };
}

function urlProblems(text: string, policy: AddressPolicy): string[] {
  const lengthProblems = textProblems(text, { min: 1, max: urlLengthMax });
  if (lengthProblems.length > 0) return lengthProblems;

  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return ['Must be an absolute http or https URL'];
  }
  if (url.username !== '' || url.password !== '') return ['Must not contain user information'];
  if (!isAllowedHost(url.hostname, policy)) return ['Must be a public address'];
  return [];
}
