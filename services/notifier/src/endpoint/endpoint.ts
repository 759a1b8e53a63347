import { DomainError, notFound } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import { webhookEndpointProblems, webhookEventTypes } from '@billing/kernel/input/webhook-endpoint';
import { type InputProblems, refuseProblems } from '@billing/kernel/input-problems';
import { type Transition, unchanged } from '@billing/kernel/transition';
import { type AddressPolicy, isAllowedHost } from './public-address';
import { headerPrefixDefault } from './signature';

/** Maximum number of endpoints per environment. */
export const endpointsMax = 10;

/** A former secret. It keeps signing for a day, so that receivers can be updated in between. */
export interface RetiredSecret {
  readonly secret: string;
  /** Real time. */
  readonly signsUntil: Date;
}

/** A destination for webhooks of an environment. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | undefined;
  /** False after the receiver answered 410, or failed for days. */
  readonly active: boolean;
  /**
   * Begins the names of two of the headers: `Billing` gives `Billing-Event` and
   * `Billing-Signature`.
   */
  readonly headerPrefix: string;
  /** `whsec_…`, readable because every delivery is signed with it; empty once deleted. */
  readonly secret: string;
  /** Earlier secrets, the newest first. */
  readonly retiredSecrets: readonly RetiredSecret[];
  /**
   * Identifies the last rotation of the secret, so that its retry is recognized; undefined before
   * the first.
   */
  readonly rotationId: string | undefined;
  /**
   * Real time of the last change of the URL or return to active; earlier failures are ignored.
   * Undefined: all count.
   */
  readonly failuresCountFrom: Date | undefined;
  /** A deleted endpoint stays as a tombstone, so that no late write restores it. */
  readonly deletedAt: Date | undefined;
}

/** Identifies an endpoint as deliveries do. */
export interface EndpointKey {
  readonly environmentId: string;
  readonly endpointId: string;
}

/** A caller's fields of a new endpoint. */
export interface Registration {
  readonly url: string;
  /** Empty: the six kinds of subscriptions. */
  readonly events: readonly string[];
  readonly description: string | undefined;
  readonly active: boolean | undefined;
  /** Undefined: `Billing`. */
  readonly headerPrefix?: string | undefined;
}

/**
 * A caller's changes to an endpoint: an absent field stays; null clears the field or, for a field
 * with a default, is refused.
 */
export type WebhookEndpointChanges = {
  readonly [Field in keyof Registration]?: Registration[Field] | null;
};

const unburdened = {
  retiredSecrets: [],
  rotationId: undefined,
  failuresCountFrom: undefined,
  deletedAt: undefined,
};

/** Creates an endpoint; refuses a destination that cannot be sent to. */
export function register(
  registration: Registration,
  { id, secret, policy }: { id: string; secret: string; policy: AddressPolicy },
): Transition<WebhookEndpoint, never, never> {
  const settings = settingsOf(registration, policy);
  return { state: { ...unburdened, id, ...settings, secret }, events: [], commands: [] };
}

/**
 * Applies a change with the rules of registration, so that no endpoint can be changed to a state
 * that could not have been registered. A new URL or a return to active resets the failures. Returns
 * the very same object where nothing differs.
 */
export function change(
  endpoint: WebhookEndpoint,
  changes: WebhookEndpointChanges,
  { policy, now }: { policy: AddressPolicy; now: Date },
): Transition<WebhookEndpoint, never, never> {
  requireKnown(endpoint);
  refuseProblems(clearedDefaults(changes));
  const changed = { ...endpoint, ...settingsOf(registrationAfter(endpoint, changes), policy) };
  if (isSameData(endpoint, changed)) return unchanged(endpoint);
  const isAnew = changed.url !== endpoint.url || (changed.active && !endpoint.active);
  const failuresCountFrom = isAnew ? now : endpoint.failuresCountFrom;
  return { state: { ...changed, failuresCountFrom }, events: [], commands: [] };
}

/**
 * Ends an endpoint permanently and removes its secret. It is unknown from then on, also to a second
 * deletion.
 */
export function remove(
  endpoint: WebhookEndpoint,
  now: Date,
): Transition<WebhookEndpoint, never, never> {
  requireKnown(endpoint);
  return {
    state: { ...endpoint, active: false, secret: '', retiredSecrets: [], deletedAt: now },
    events: [],
    commands: [],
  };
}

/** The tombstone in place of an endpoint that was never stored, so that a late write fails. */
export function neverRegistered(id: string, now: Date): Transition<WebhookEndpoint, never, never> {
  const state = {
    ...unburdened,
    id,
    url: '',
    events: [],
    description: undefined,
    active: false,
    headerPrefix: headerPrefixDefault,
    secret: '',
    deletedAt: now,
  };
  return { state, events: [], commands: [] };
}

/**
 * Disables an endpoint, which stays registered. The result of an attempt made before its last
 * change or reactivation does not disable it.
 */
export function disable(
  endpoint: WebhookEndpoint,
  tried: Pick<WebhookEndpoint, 'failuresCountFrom'>,
): Transition<WebhookEndpoint, never, never> {
  const isTried = isSameData(endpoint.failuresCountFrom, tried.failuresCountFrom);
  if (!endpoint.active || !isTried) return unchanged(endpoint);
  return { state: { ...endpoint, active: false }, events: [], commands: [] };
}

/** Throws failed_precondition for an inactive endpoint. */
export function requireActive({ active }: WebhookEndpoint): void {
  if (active) return;
  throw new DomainError(
    'failed_precondition',
    'WEBHOOK_ENDPOINT_NOT_ACTIVE',
    'The webhook endpoint is not active',
  );
}

/** Throws not_found for a deleted endpoint. */
export function requireKnown(endpoint: WebhookEndpoint): void {
  if (endpoint.deletedAt !== undefined) throw notFound('Webhook endpoint');
}

type Settings = Pick<WebhookEndpoint, 'url' | 'events' | 'description' | 'active' | 'headerPrefix'>;

function settingsOf(registration: Registration, policy: AddressPolicy): Settings {
  refuseProblems(problemsOf(registration, policy));
  const { url, events, description, active = true } = registration;
  const { headerPrefix = headerPrefixDefault } = registration;
  const wanted = events.length === 0 ? webhookEventTypes : [...new Set(events)];
  return { url, events: wanted, description, active, headerPrefix };
}

// A field with a default can be changed, never cleared.
function clearedDefaults({ active, headerPrefix }: WebhookEndpointChanges): InputProblems {
  return {
    active: active === null ? ['Required'] : [],
    headerPrefix: headerPrefix === null ? ['Required'] : [],
  };
}

function registrationAfter(
  endpoint: WebhookEndpoint,
  changes: WebhookEndpointChanges,
): Registration {
  const after = { ...endpoint, ...changes };
  return {
    url: after.url ?? '',
    events: after.events ?? [],
    description: after.description ?? undefined,
    active: after.active ?? undefined,
    headerPrefix: after.headerPrefix ?? undefined,
  };
}

function problemsOf(registration: Registration, policy: AddressPolicy): InputProblems {
  return webhookEndpointProblems(registration, (hostname) => isAllowedHost(hostname, policy));
}
