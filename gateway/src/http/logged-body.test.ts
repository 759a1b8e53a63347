import { Readable } from 'node:stream';
import fc from 'fast-check';
import { loggedBody, loggedBytesMax } from './logged-body';

const token = (length: number) => fc.stringMatching(new RegExp(`^[A-Za-z2-9]{${String(length)}}$`));

/** Card numbers with a valid check digit, whole or in groups. */
const cardNumber = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 15, maxLength: 15 })
  .map((digits) => {
    const known = [4, ...digits.slice(1)];
    const sum = known.reduce((total, digit, index) => {
      const doubled = index % 2 === 0 ? digit * 2 : digit;
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
    return [...known, (10 - (sum % 10)) % 10].join('');
  });

/** A secret, and a value that contains it. */
const secretText = fc.oneof(
  token(43).map((secret) => ({ secret, value: `billing_live_${secret}` })),
  token(43).map((secret) => ({ secret, value: `key: billing_test_${secret}, and more` })),
  token(32).map((secret) => ({ secret, value: `whsec_${secret}` })),
  token(24).map((secret) => ({ secret, value: `sk_live_${secret}` })),
  token(20).map((secret) => ({ secret, value: `Bearer ${secret}` })),
  token(20).map((secret) => ({ secret, value: `mongodb://user:${secret}@host/db` })),
  token(43).map((secret) => ({ secret, value: `https://pay.example/checkout/${secret}` })),
  token(43).map((secret) => ({ secret, value: `https://pay.example/invoice/${secret}/pdf` })),
  token(43).map((secret) => ({ secret, value: `https://pay.example/portal/${secret}?a=b` })),
  token(20).map((secret) => ({ secret, value: `https://shop.example/?a=b&api_key=${secret}` })),
  cardNumber.map((secret) => ({ secret, value: `\n${secret}` })),
  cardNumber.map((secret) => ({ secret, value: secret.replace(/(.{4})(?=.)/g, '$1 ') })),
);
const secretField = fc.tuple(
  fc.constantFrom(
    'secret',
    'clientSecret',
    'password',
    'API_KEY',
    'private-key',
    'accessToken',
    'authorizedTransactionId',
    'cvc',
  ),
  token(12),
);

/** Wraps a value in objects and lists, among other values. */
function nested(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const wrap = (inner: unknown) =>
    fc.oneof(
      fc
        .tuple(fc.jsonValue({ maxDepth: 1 }), fc.jsonValue({ maxDepth: 1 }))
        .map((others) => [others[0], inner, others[1]]),
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }).map((others) => ({
        ...others,
        inner,
      })),
    );
  return value.chain(wrap).chain(wrap);
}

const jsonOf = (body: unknown) => loggedBody(body)?.json ?? '';

test('no secret of a known form is left, at any place of a body', () => {
  fc.assert(
    fc.property(
      secretText.chain((one) =>
        nested(fc.constant(one.value)).map((body) => ({ secret: one.secret, body })),
      ),
      ({ secret, body }) => {
        const json = jsonOf(body);
        expect(json).not.toContain(secret);
        expect(json.replaceAll(/[ -]/g, '')).not.toContain(secret);
        JSON.parse(json);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a field that is named after a secret is hidden, with any value', () => {
  fc.assert(
    fc.property(
      secretField.chain(([name, value]) =>
        fc
          .constantFrom<unknown>({ [name]: value }, { [name]: [value] }, { [name]: { is: value } })
          .chain((field) => nested(fc.constant(field)))
          .map((body) => ({ value, body })),
      ),
      ({ value, body }) => {
        expect(jsonOf(body)).not.toContain(value);
      },
    ),
  );
});

test('a secret is hidden in the name of a field, and at the end of a long body', () => {
  const key = `billing_live_${'A'.repeat(49)}`;
  expect(jsonOf({ [key]: 1 })).toBe('{"[redacted]":1}');
  for (let length = loggedBytesMax - 120; length < loggedBytesMax; length += 1) {
    const json = jsonOf({ text: `${'x'.repeat(length)} ${key}`, after: key });
    expect(json).not.toContain('AAAA');
  }
});

test('any body is valid JSON of at most 16 kB, whole if it fits', () => {
  const long = fc.string({ unit: 'binary', minLength: 0, maxLength: 9_000 });
  const body = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
  fc.assert(
    fc.property(fc.array(fc.oneof(body, long), { maxLength: 8 }), (values) => {
      const { json, isShortened } = loggedBody(values) ?? { json: '', isShortened: true };
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(loggedBytesMax);
      const parsed: unknown = JSON.parse(json);
      if (!isShortened) expect((parsed as unknown[]).length).toBe(values.length);
      if (Buffer.byteLength(JSON.stringify(values)) * 2 < loggedBytesMax) {
        expect(isShortened).toBe(false);
      }
    }),
  );
});

test('what has no secret stays as it is', () => {
  const body = {
    id: '01980e5c-4242-7242-8242-424242424242',
    lookupKey: 'pro',
    metadata: { tokens: 1200, key: 'value', isSecret: true, none: null },
    amount: 2_900,
    url: 'https://shop.example/checkout/done?order=7',
    at: '2026-02-03T04:05:06.789Z',
  };
  expect(loggedBody(body)).toEqual({ json: JSON.stringify(body), isShortened: false });
});

test.each([
  ['a file', Buffer.from('%PDF')],
  ['a stream', Readable.from(['x'])],
  ['no body', undefined],
])('%s is not kept', (_what, body) => {
  expect(loggedBody(body)).toBeUndefined();
});

test('a body of 100,000 levels is cut', () => {
  let deep: unknown = 'x';
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(loggedBody(deep)).toMatchObject({ isShortened: true });
});
