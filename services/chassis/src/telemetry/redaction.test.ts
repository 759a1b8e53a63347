import { redactSecrets } from './redaction';

describe('redaction', () => {
  test.each([
    ['an API key', 'key billing_live_AbC-12_3 used', 'key [redacted] used'],
    ['a test key', '{"key":"billing_test_x"}', '{"key":"[redacted]"}'],
    ['a key of a payment provider', 'rk_live_51Nq and sk_test_4eC', '[redacted] and [redacted]'],
    ['a webhook secret', 'whsec_MfKQ9r8GKYqrTwjU+/==', '[redacted]'],
    ['an authorization value', 'Authorization: Bearer abc.def', 'Authorization: Bearer [redacted]'],
    ['a password', 'mongodb://me:pass@host/db', 'mongodb://[redacted]@host/db'],
    ['a card number', 'card 4242424242424242 declined', 'card [redacted] declined'],
    ['a card number in groups', '"4242 4242 4242 4242"', '"[redacted]"'],
    ['a card number with dashes', '4000-0027-6000-3184', '[redacted]'],
    ['a card number of 15 digits', '3782 822463 10005', '[redacted]'],
    ['two secrets', 'billing_live_a whsec_b', '[redacted] [redacted]'],
  ])('removes %s', (_what, text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
  });

  test('keeps JSON valid where a card number is a number', () => {
    expect(redactSecrets('{"a":4242424242424242,"b":[4242424242424242]}')).toBe(
      '{"a":null,"b":[null]}',
    );
  });

  test.each([
    ['a UUID', '01980e5c-4242-7242-8242-424242424242'],
    ['a trace id', '42424242424242424242424242424242'],
    ['a trace id with letters', '4242424242424242a242424242424242'],
    ['a number that fails the check digit', '4242424242424241'],
    ['a time', '2026-02-03T04:05:06.789Z'],
    ['an amount', '{"amountMinor":123456789}'],
    ['a decimal', '0.4242424242424242'],
    ['an address without password', 'nats://127.0.0.1:4222'],
    ['an email address', 'https://example.com/?to=a@example.com'],
  ])('keeps %s', (_what, text) => {
    expect(redactSecrets(text)).toBe(text);
  });
});
