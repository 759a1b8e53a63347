import { DomainError, type FieldErrors } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import {
  disable,
  eventTypes,
  neverRegistered,
  register,
  type Registration,
  remove,
  requireKnown,
} from './webhook-endpoint';

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
  try {
    registered(changes);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_input') return error.fields;
    throw error;
  }
  return undefined;
}

describe('registering an endpoint', () => {
  test('asks for the six subscription kinds and is active unless it says otherwise', () => {
    expect(registered()).toEqual({
      id: 'endpoint',
      url: 'https://example.com/hooks',
      events: eventTypes,
      description: undefined,
      active: true,
      secret: 'whsec_c2VjcmV0',
      deletedAt: undefined,
    });
    expect(eventTypes).toHaveLength(6);
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

  test('names the place of each kind that does not exist', () => {
    const events = ['subscription.renewed', 'subscription.paused', 'checkout'];
    expect(refusalOf({ events })).toEqual({ events: ['1: Unknown event', '2: Unknown event'] });
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

  test('is unknown from then on', () => {
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
    const { state } = disable(registered());
    expect(state).toEqual({ ...registered(), active: false });
    expect(disable(state)).toEqual(unchanged(state));
  });
});
