import { webhookEventTypes } from '@billing/kernel/input/webhook-endpoint';
import { DomainError, type FieldErrors } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import {
  change,
  disable,
  neverRegistered,
  register,
  type Registration,
  remove,
  requireKnown,
  type WebhookEndpoint,
  type WebhookEndpointChanges,
} from './endpoint';

const now = new Date('2026-03-01T00:00:00.000Z');
const policy = { allowLoopback: false };
const registration: Registration = {
  url: 'https://example.com/hooks',
  events: [],
  description: undefined,
  active: undefined,
};

function registered(changes: Partial<Registration> = {}) {
  const input = { ...registration, ...changes };
  return register(input, { id: 'endpoint', secret: 'whsec_c2VjcmV0', policy }).state;
}

function refusalOf(changes: Partial<Registration>): FieldErrors | undefined {
  return refusalBy(() => registered(changes));
}

function refusalBy(act: () => unknown): FieldErrors | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_input') return error.fields;
    throw error;
  }
  return undefined;
}

describe('registering an endpoint', () => {
  test('selects the six subscription kinds and is active by default', () => {
    expect(registered()).toEqual({
      id: 'endpoint',
      url: 'https://example.com/hooks',
      events: webhookEventTypes,
      description: undefined,
      active: true,
      headerPrefix: 'Billing',
      secret: 'whsec_c2VjcmV0',
      retiredSecrets: [],
      rotationId: undefined,
      failuresCountFrom: undefined,
      deletedAt: undefined,
    });
    expect(webhookEventTypes).toHaveLength(6);
  });

  test('keeps each kind once, and keeps the URL as it was written', () => {
    const state = registered({
      url: 'HTTPS://Example.com',
      events: ['subscription.renewed', 'subscription.renewed'],
      active: false,
    });
    expect(state).toMatchObject({
      url: 'HTTPS://Example.com',
      events: ['subscription.renewed'],
      active: false,
    });
  });

  test.each([
    ['nothing', '', 'Required'],
    ['no URL', 'example', 'Must be an absolute http or https URL'],
    ['another scheme', 'ftp://example.com', 'Must be an absolute http or https URL'],
    ['too long', `https://example.com/${'a'.repeat(2048)}`, 'Must be at most 2048 characters'],
    ['user information', 'https://user@example.com', 'Must not contain user information'],
    ['a password', 'https://:word@example.com', 'Must not contain user information'],
    ['a private address', 'http://10.0.0.1', 'Must be a public address'],
    ['localhost', 'http://localhost:8080', 'Must be a public address'],
    ['loopback in disguise', 'http://2130706433', 'Must be a public address'],
  ])('refuses a URL that is %s', (_name, url, message) => {
    expect(refusalOf({ url })).toEqual({ url: [message] });
  });

  test('accepts kinds beyond the six, which only endpoints that name them receive', () => {
    const events = ['checkout.completed', 'checkout.expired'];
    expect(registered({ events }).events).toEqual(events);
    expect(registered().events).not.toContain('checkout.completed');
  });

  test('reports the index of each kind that does not exist', () => {
    const events = ['subscription.renewed', 'subscription.paused', 'checkout'];
    expect(refusalOf({ events })).toEqual({ events: ['1: Unknown event', '2: Unknown event'] });
  });

  test('keeps the prefix of its headers, and refuses one that is no valid start of a header', () => {
    expect(registered({ headerPrefix: 'Acme' }).headerPrefix).toBe('Acme');
    expect(refusalOf({ headerPrefix: 'a b' })).toEqual({
      headerPrefix: ['Invalid header prefix'],
    });
  });

  test('refuses a description of more than 200 characters', () => {
    expect(refusalOf({ description: 'a'.repeat(201) })).toEqual({
      description: ['Must be at most 200 characters'],
    });
  });
});

describe('an endpoint that ends', () => {
  test('is inactive and has no secret once it is deleted', () => {
    const { state } = remove(registered(), now);
    expect(state).toMatchObject({ active: false, secret: '', deletedAt: now });
  });

  test('is unknown after its deletion', () => {
    const { state } = remove(registered(), now);
    expect(() => {
      requireKnown(state);
    }).toThrow('Webhook endpoint not found');
    expect(() => remove(state, now)).toThrow('Webhook endpoint not found');
  });

  test('is unknown when it was never stored', () => {
    expect(() => {
      requireKnown(neverRegistered('endpoint', now).state);
    }).toThrow('Webhook endpoint not found');
  });

  test('stays registered when it is disabled, and disabling again changes nothing', () => {
    const { state } = disable(registered(), registered());
    expect(state).toEqual({ ...registered(), active: false });
    expect(disable(state, state)).toEqual(unchanged(state));
  });
});

describe('changing an endpoint', () => {
  const chosen = { description: 'old', events: ['subscription.renewed'] };
  const later = new Date('2026-03-02T00:00:00.000Z');

  function changed(
    changes: WebhookEndpointChanges,
    endpoint: WebhookEndpoint = registered(chosen),
  ): WebhookEndpoint {
    return change(endpoint, changes, { policy, now: later }).state;
  }

  test.each<[WebhookEndpointChanges, Partial<WebhookEndpoint>]>([
    [
      { events: ['subscription.created', 'subscription.created'] },
      { events: ['subscription.created'] },
    ],
    [{ events: null }, { events: webhookEventTypes }],
    [{ events: [] }, { events: webhookEventTypes }],
    [{ description: 'new' }, { description: 'new' }],
    [{ description: null }, { description: undefined }],
    [{ active: false }, { active: false }],
  ])('by %j keeps everything else', (changes, after) => {
    expect(changed(changes)).toEqual({ ...registered(chosen), ...after });
  });

  test('to its present values returns the very same object', () => {
    const endpoint = registered(chosen);
    const { url } = endpoint;
    expect(changed({}, endpoint)).toBe(endpoint);
    expect(changed({ ...chosen, url, active: true }, endpoint)).toBe(endpoint);
  });

  test('to active or to another URL counts its failures from then on', () => {
    const url = 'https://example.com/other';
    expect(changed({ url })).toEqual({ ...registered(chosen), url, failuresCountFrom: later });
    const disabled = registered({ active: false });
    const enabled = { ...registered(), failuresCountFrom: later };
    expect(changed({ active: true }, disabled)).toEqual(enabled);
    expect(changed({ description: 'x' }, enabled).failuresCountFrom).toBe(later);
  });

  test('takes precedence over results of attempts made before', () => {
    const tried = registered();
    const moved = changed({ url: 'https://example.com/other' }, tried);
    expect(disable(moved, tried)).toEqual(unchanged(moved));
    expect(disable(moved, { failuresCountFrom: new Date(later) }).state.active).toBe(false);
    expect(disable(changed({ description: 'x' }, tried), tried).state.active).toBe(false);
  });

  test.each<[WebhookEndpointChanges, FieldErrors]>([
    [{ url: null }, { url: ['Required'] }],
    [{ url: 'http://10.0.0.1' }, { url: ['Must be a public address'] }],
    [{ events: ['checkout'] }, { events: ['0: Unknown event'] }],
    [{ active: null }, { active: ['Required'] }],
    [{ headerPrefix: null }, { headerPrefix: ['Required'] }],
    [{ headerPrefix: 'webhook' }, { headerPrefix: ['Invalid header prefix'] }],
    [
      { url: 'x', description: 'a'.repeat(201) },
      {
        url: ['Must be an absolute http or https URL'],
        description: ['Must be at most 200 characters'],
      },
    ],
  ])('by %j is refused as a registration would be', (changes, fields) => {
    expect(refusalBy(() => changed(changes))).toEqual(fields);
  });

  test('is not possible once it is deleted', () => {
    const { state } = remove(registered(), now);
    expect(() => changed({ active: true }, state)).toThrow('Webhook endpoint not found');
  });
});
