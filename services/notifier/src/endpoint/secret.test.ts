import { rotateSecret, signingSecrets } from './secret';
import { register, remove, type WebhookEndpoint } from './endpoint';

const hour = 3_600_000;
const start = new Date('2026-03-01T00:00:00.000Z');
const after = (hours: number) => new Date(start.getTime() + hours * hour);

const endpoint = register(
  { url: 'https://example.com', events: [], description: undefined, active: undefined },
  { id: 'endpoint', secret: 'first', policy: { allowLoopback: false } },
).state;

function rotate(before: WebhookEndpoint, secret: string, now: Date): WebhookEndpoint {
  return rotateSecret(before, { secret, rotationId: `to ${secret}`, now }).state;
}

describe('a rotation of the secret', () => {
  test('lets the previous secret sign together with the new one for exactly a day', () => {
    const rotated = rotate(endpoint, 'second', start);
    expect(signingSecrets(rotated, start)).toEqual(['second', 'first']);
    expect(signingSecrets(rotated, new Date(after(24).getTime() - 1))).toEqual(['second', 'first']);
    expect(signingSecrets(rotated, after(24))).toEqual(['second']);
  });

  test('within a day of another rotation leaves every secret its full day', () => {
    const twice = rotate(rotate(endpoint, 'second', start), 'third', after(12));
    expect(signingSecrets(twice, after(12))).toEqual(['third', 'second', 'first']);
    expect(signingSecrets(twice, after(24))).toEqual(['third', 'second']);
    expect(signingSecrets(twice, after(36))).toEqual(['third']);
  });

  test('removes secrets whose day has ended', () => {
    const later = rotate(rotate(endpoint, 'second', start), 'third', after(24));
    expect(later.retiredSecrets.map(({ secret }) => secret)).toEqual(['second']);
  });

  test('with the same id as the last one changes nothing', () => {
    const rotated = rotate(endpoint, 'second', start);
    const repeat = { secret: 'another', rotationId: 'to second', now: after(1) };
    expect(rotateSecret(rotated, repeat).state).toBe(rotated);
  });

  test('is refused while ten secrets sign, and possible again a day after the first', () => {
    const numbers = Array.from({ length: 9 }, (_, index) => String(index));
    const full = numbers.reduce((before, number) => rotate(before, number, start), endpoint);
    expect(signingSecrets(full, start)).toHaveLength(10);
    expect(() => rotate(full, 'eleventh', after(23))).toThrow('at most 10 active signing secrets');
    expect(signingSecrets(rotate(full, 'eleventh', after(24)), after(24))).toHaveLength(2);
  });

  test('of a deleted endpoint finds none; a deleted endpoint keeps no secret', () => {
    const deleted = remove(rotate(endpoint, 'second', start), start).state;
    expect(deleted).toMatchObject({ secret: '', retiredSecrets: [] });
    expect(() => rotate(deleted, 'third', start)).toThrow('Webhook endpoint not found');
  });
});
