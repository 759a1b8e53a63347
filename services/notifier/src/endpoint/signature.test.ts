import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { billingSignature, signatureHeaders, standardSignature, toSecret } from './signature';

interface SignCase {
  readonly kind: 'sign';
  readonly secret: string;
  readonly id: string;
  readonly timestamp: number;
  readonly payload?: string;
  readonly payloadRepeat?: readonly [string, number];
}

interface VerifyCase {
  readonly kind: 'verify';
  readonly secret: string;
  readonly headers: Record<string, string>;
  readonly payload: string;
  readonly now: number;
}

interface SecretCase {
  readonly kind: 'secret';
  readonly secret: string;
}

interface Vector {
  readonly id: string;
  readonly given: SignCase | VerifyCase | SecretCase;
  readonly expect: { signature?: string; valid?: boolean; accepted?: boolean };
}

const file = join(__dirname, '../../vectors/webhooks-signature.json');
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly Vector[] };

const check: {
  [K in Vector['given']['kind']]: (
    given: Extract<Vector['given'], { kind: K }>,
    expected: Vector['expect'],
  ) => void;
} = {
  sign: ({ secret, id, timestamp, payload, payloadRepeat }, { signature }) => {
    const [text, times] = payloadRepeat ?? [payload ?? '', 1];
    const body = text.repeat(times);
    expect(standardSignature({ secrets: [secret], id, timestamp, body })).toBe(signature);
  },
  // Receivers verify with the libraries of the standard; this is the one for JavaScript.
  verify: ({ secret, headers, payload, now }, { valid }) => {
    jest.useFakeTimers({ now: now * 1000 });
    const verify = () => new Webhook(secret).verify(payload, headers);
    if (valid === true) expect(verify()).toEqual(JSON.parse(payload));
    else expect(verify).toThrow();
  },
  secret: ({ secret }, { accepted }) => {
    const sign = () =>
      standardSignature({ secrets: [secret], id: 'msg', timestamp: 1, body: '{}' });
    if (accepted === true) expect(sign()).toMatch(/^v1,/);
    else expect(sign).toThrow('must hold a key');
  },
};

describe('a signature of Standard Webhooks', () => {
  afterEach(() => jest.useRealTimers());

  test.each(cases.map((vector) => [vector.id, vector] as const))('%s', (_id, vector) => {
    check[vector.given.kind](vector.given as never, vector.expect);
  });

  test('is accepted by the library of the standard', () => {
    const now = 1_767_225_600;
    jest.useFakeTimers({ now: now * 1000 });
    const secret = toSecret(Buffer.alloc(32, 7));
    const body = '{"name":"Zoë"}';
    const secrets = [secret];
    const headers = signatureHeaders({ secrets, id: 'a message', timestamp: now, body });

    expect(new Webhook(secret).verify(body, headers)).toEqual({ name: 'Zoë' });
  });
});

describe('a signature of the official client', () => {
  test('is the hexadecimal HMAC of time and body under the text of the secret', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const expected = createHmac('sha256', Buffer.from(secret, 'utf8'))
      .update('1614265330.{"test": 2432232314}')
      .digest('hex');

    expect(
      billingSignature({
        secrets: [secret],
        timestamp: 1_614_265_330,
        body: '{"test": 2432232314}',
      }),
    ).toBe(`t=1614265330,v1=${expected}`);
  });
});

describe('the signatures of two secrets', () => {
  const now = 1_767_225_600;
  const secrets = [toSecret(Buffer.alloc(32, 1)), toSecret(Buffer.alloc(32, 2))];
  const signed = { id: 'a message', timestamp: now, body: '{"a":1}' };

  afterEach(() => jest.useRealTimers());

  test('appear together in both headers, the newest first', () => {
    const single = secrets.map((secret) => signatureHeaders({ ...signed, secrets: [secret] }));
    const both = signatureHeaders({ ...signed, secrets });
    const of = (header: string) => single.map((headers) => headers[header] ?? '');
    expect(both['webhook-signature']).toBe(of('webhook-signature').join(' '));
    const [first = '', second = ''] = of('Billing-Signature');
    expect(both['Billing-Signature']).toBe(`${first},${second.replace(/^t=\d+,/, '')}`);
    expect(both['Billing-Signature']).toMatch(/^t=1767225600,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  });

  test.each([0, 1])('are accepted by a receiver that knows only the one at %d', (known) => {
    jest.useFakeTimers({ now: now * 1000 });
    const headers = signatureHeaders({ ...signed, secrets });
    const webhook = new Webhook(secrets[known] ?? '');
    expect(webhook.verify(signed.body, headers)).toEqual({ a: 1 });
  });
});

test('the prefix of an endpoint replaces Billing in its header only', () => {
  const signed = {
    id: 'a message',
    timestamp: 1,
    body: '{}',
    secrets: [toSecret(Buffer.alloc(32))],
  };
  expect(Object.keys(signatureHeaders(signed, 'Acme-Pay'))).toEqual([
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'Acme-Pay-Signature',
  ]);
  expect(signatureHeaders(signed, 'Acme-Pay')['Acme-Pay-Signature']).toBe(
    signatureHeaders(signed)['Billing-Signature'],
  );
});

test('a secret is the prefix and the base64 of its 32 bytes', () => {
  expect(toSecret(Buffer.alloc(32))).toBe('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=');
});
