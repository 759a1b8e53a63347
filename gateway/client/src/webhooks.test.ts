import { createHmac } from 'node:crypto';
import { WebhookVerificationError } from './errors';
import { Webhooks } from './webhooks';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body =
  '{"id":"0199d3c4-7a00-5000-8000-000000000001","type":"subscription.created","timestamp":"2026-01-01T00:00:00.000Z","sequence":1}';
const headers = {
  'webhook-id': '0199d3c4-7a00-5000-8000-000000000001',
  'webhook-timestamp': '1767225600',
  'webhook-signature': 'v1,4jUmY8y3Iy7NYigyq/05x96q/Nhq0VgPPaL20HqMoR4=',
};
const other = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const webhooks = new Webhooks();
const unwrap: Webhooks['unwrap'] = (...input) => webhooks.unwrap(...input);

function at(seconds: number) {
  return { now: new Date(seconds * 1_000) };
}

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.reason : error;
  }
  return undefined;
}

test.each([
  ['text and plain headers', body, headers, secret],
  ['bytes', Buffer.from(body), headers, secret],
  ['a Headers object', body, new Headers(headers), secret],
  ['headers of any case', body, { ...headers, 'Webhook-Id': headers['webhook-id'] }, secret],
  [
    'several signatures',
    body,
    { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']} v2,x` },
    secret,
  ],
  ['several secrets', body, headers, [other, secret]],
])('%s are verified', (_name, content, given, secrets) => {
  expect(unwrap(content, given, secrets, at(1_767_225_600))).toMatchObject({
    type: 'subscription.created',
    sequence: 1,
  });
});

test.each([
  [1_767_225_900, undefined],
  [1_767_225_901, 'timestamp_too_old'],
  [1_767_225_300, undefined],
  [1_767_225_299, 'timestamp_too_new'],
])('at %s the outcome is %s', (seconds, expected) => {
  expect(failureOf(() => unwrap(body, headers, secret, at(seconds)))).toBe(expected);
});

test.each(Object.keys(headers))('without %s it is refused', (name) => {
  const rest = { ...headers, [name]: undefined };
  expect(failureOf(() => unwrap(body, rest, secret, at(1_767_225_600)))).toBe('missing_header');
});

test.each([
  ['body', body.replace('created', 'Created'), headers, secret],
  ['id', body, { ...headers, 'webhook-id': '0199d3c4-7a00-5000-8000-000000000002' }, secret],
  ['time', body, { ...headers, 'webhook-timestamp': '1767225601' }, secret],
  ['secret', body, headers, other],
  ['signature', body, { ...headers, 'webhook-signature': 'v1,' }, secret],
])('another %s is refused', (_name, content, given, key) => {
  const failure = failureOf(() => unwrap(content, given, key, at(1_767_225_600)));
  expect(failure).toBe('no_matching_signature');
});

test.each([
  ['a mark of the byte order in front', Buffer.from(`\ufeff${body}`)],
  ['bytes that decode to the same text', Buffer.from([0xff])],
])('%s is refused', (_name, bytes) => {
  const time = headers['webhook-timestamp'];
  const text = new TextDecoder().decode(bytes);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${time}.${text}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  const given = { ...headers, 'webhook-signature': signature };
  const failure = failureOf(() => unwrap(bytes, given, secret, at(1_767_225_600)));
  expect(failure).toBe('no_matching_signature');
});

test.each(['', 'whsec_', 'whsec_???', 'c2hvcnQ='])(
  'the secret %j is refused as too short',
  (weak) => {
    const key = Buffer.from(weak.replace('whsec_', ''), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const forged = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    const given = { ...headers, 'webhook-signature': forged };
    for (const secrets of [weak, [secret, weak]]) {
      const failure = failureOf(() => unwrap(body, given, secrets, at(1_767_225_600)));
      expect(failure).toEqual(new TypeError('secret must be whsec_ and at least 16 bytes'));
    }
  },
);

test('a signed time that is not written in digits is refused', () => {
  const time = '1.7672256e9';
  const signed = `${headers['webhook-id']}.${time}.${body}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  const given = { ...headers, 'webhook-timestamp': time, 'webhook-signature': signature };
  const failure = failureOf(() => unwrap(body, given, secret, at(1_767_225_600)));
  expect(failure).toBe('timestamp_too_old');
});

test('a body that was parsed already is an error of the program', () => {
  const parsed = JSON.parse(body) as string;
  expect(failureOf(() => unwrap(parsed, headers, secret))).toBeInstanceOf(TypeError);
});

test('a signed body that is no JSON is refused', () => {
  // Signed with the secret of the others.
  const signature = 'v1,kyp2nFe/CQ5AhiAYCa/axANLPfEhFd6Hb4OQWqZqaqE=';
  const given = { ...headers, 'webhook-signature': signature };
  const failure = failureOf(() => unwrap('{', given, secret, at(1_767_225_600)));
  expect(failure).toBe('malformed_body');
});
