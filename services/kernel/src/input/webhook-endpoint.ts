import { type InputProblems, lineProblems, optionalProblems, type Parts } from '../input-problems';
import { webAddressProblems } from '../web-address';

/** Default event types of an endpoint. */
export const webhookEventTypes = [
  'subscription.created',
  'subscription.updated',
  'subscription.canceled',
  'subscription.renewed',
  'subscription.payment_succeeded',
  'subscription.payment_failed',
] as const;

// Event types that an endpoint may name. An endpoint without event types gets only the six above,
// as the contract promises.
const eventTypes = [
  ...webhookEventTypes,
  'subscription.trial_ending',
  'subscription.renewal_upcoming',
  'checkout.completed',
  'checkout.expired',
  'invoice.created',
  'invoice.payment_received',
  'invoice.payment_failed',
  'invoice.paid',
  'invoice.voided',
  'invoice.uncollectible',
  'invoice.overdue',
  'invoice.reminded',
  'credit_note.created',
  'refund.succeeded',
  'refund.failed',
  'refund.updated',
  'dispute.opened',
  'dispute.closed',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'payment_method.added',
  'payment_method.updated',
  'payment_method.removed',
  'payment_method.expiring',
  'product.created',
  'product.updated',
  'meter_prices.replaced',
  'discount.created',
  'discount.updated',
  'checkout_link.created',
  'checkout_link.updated',
  'meter.created',
  'meter.updated',
  'meter.deleted',
  'email.failed',
  'email.bounced',
  'environment.restored',
] as const;

/** Type of an event that an endpoint may name. */
export type WebhookEventType = (typeof eventTypes)[number];

const everyEvent = '*';
const resources = new Set(eventTypes.map(resourceOf));

/** Values of an endpoint's `events`: `*`, `<resource>.*` and the event types. */
export const webhookEventNames: readonly string[] = [
  everyEvent,
  ...[...resources].map((resource) => `${resource}.*`),
  ...eventTypes,
];

// Events of these resources are numbered by another one.
const subjectOfResource: Readonly<Record<string, string>> = {
  checkout: 'checkout_session',
  payment_method: 'payer',
  meter_prices: 'meter_price_set',
  credit_note: 'invoice',
  refund: 'invoice',
  dispute: 'invoice',
};

const descriptionLengthMax = 200;
// `Webhook-Signature` is a header of the standard.
const headerPrefixPattern = /^(?!webhook$)[a-z][a-z0-9-]{0,30}$/i;

/** Fields of a webhook endpoint that have rules of their own. */
export interface WebhookEndpointFields {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly headerPrefix?: string | undefined;
}

/**
 * Problems of each present field of a webhook endpoint; absent fields are checked elsewhere.
 * `isAllowedHost` gets the host of a well-formed URL.
 */
export function webhookEndpointProblems(
  fields: Parts<WebhookEndpointFields>,
  isAllowedHost: (hostname: string) => boolean,
): InputProblems {
  const { url, events, description, headerPrefix } = fields;
  return {
    url: optionalProblems(url, (text) => urlProblems(text, isAllowedHost)),
    events: optionalProblems(events, eventProblems),
    description: optionalProblems(description, (text) =>
      lineProblems(text, { max: descriptionLengthMax }),
    ),
    headerPrefix: optionalProblems(headerPrefix, (text) =>
      headerPrefixPattern.test(text) ? [] : ['Invalid header prefix'],
    ),
  };
}

/** True for the type of an event that this release knows. */
export function isKnownEventType(type: string): type is WebhookEventType {
  return (eventTypes as readonly string[]).includes(type);
}

/** True if an endpoint with these `events` receives events of the type. */
export function asksFor(events: readonly string[], type: string): boolean {
  return [everyEvent, `${resourceOf(type)}.*`, type].some((name) => events.includes(name));
}

/** True if an endpoint with these `events` receives some events of a type of subject. */
export function asksForSubject(events: readonly string[], subjectType: string): boolean {
  return eventTypes.some((type) => subjectTypeOf(type) === subjectType && asksFor(events, type));
}

/** Type of the resource that numbers the events of a type, such as `checkout_session`. */
export function subjectTypeOf(type: string): string {
  const resource = resourceOf(type);
  return subjectOfResource[resource] ?? resource;
}

function resourceOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

/** Problems of the types that a reader of the feed names: types and `<resource>.*`. */
export function webhookFeedTypeProblems(types: readonly string[]): string[] {
  return types
    .filter((name) => name === everyEvent || !webhookEventNames.includes(name))
    .map((name) => `Unknown event: ${name}`);
}

function urlProblems(text: string, isAllowedHost: (hostname: string) => boolean): string[] {
  if (text === '') return ['Required'];
  const problems = webAddressProblems(text);
  if (problems.length > 0) return problems;
  return isAllowedHost(new URL(text).hostname) ? [] : ['Must be a public address'];
}

function eventProblems(events: readonly (string | undefined)[]): string[] {
  return events.flatMap((name, index) =>
    name === undefined || webhookEventNames.includes(name)
      ? []
      : [`${String(index)}: Unknown event`],
  );
}
