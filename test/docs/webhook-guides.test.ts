import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import * as standardwebhooks from 'standardwebhooks';
import stripe from 'stripe';
import * as svix from 'svix';
import { eventually } from '@billing/chassis/testing';
import { Billing } from '@billing/client';
import { causeEveryKind, everyKind, kindsOfSubscriptions } from '../support/every-kind';
import { joinTestSystem } from '../support/shared-system';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver';
import { verify as verifyByStandardWebhooks } from './standardwebhooks';
import { verify as verifyByStripe } from './stripe';
import { verify as verifyBySvix } from './svix';
import { codeBlocks } from './code-blocks';

const prefix = 'Acme';

interface Endpoint {
  readonly receiver: WebhookReceiver;
  readonly secret: string;
}

let usual: Endpoint;
let prefixed: Endpoint;

beforeAll(async () => {
  const system = await joinTestSystem();
  const sandbox = await system.live.manualSandbox('2026-01-31T00:00:00Z');
  const register = async (input: object): Promise<Endpoint> => {
    const receiver = await startWebhookReceiver();
    const { secret } = await sandbox.expect(
      201,
      sandbox.post('/webhook-endpoints', { url: receiver.url, ...input }),
    );
    return { receiver, secret };
  };
  usual = await register({ events: ['*'] });
  prefixed = await register({ headerPrefix: prefix });
  await causeEveryKind(sandbox, system);
  await eventually(() => {
    expect(typesAt(usual)).toEqual(everyKind);
    expect(typesAt(prefixed)).toEqual(kindsOfSubscriptions);
  });
});

afterAll(async () => {
  await usual.receiver.close();
  await prefixed.receiver.close();
});

function typesAt({ receiver }: Endpoint): string[] {
  return [...new Set(receiver.received.map(({ body }) => body.type as string))].sort();
}

/** The same JSON with one more byte. */
function changed(body: string): string {
  return body.replace('"sequence":', '"sequence": ');
}

function headersOf({ headers }: ReceivedWebhook): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

describe.each([
  { name: 'standardwebhooks', verify: verifyByStandardWebhooks },
  { name: 'svix', verify: verifyBySvix },
  { name: 'stripe', verify: verifyByStripe },
])('the verification by $name', ({ name, verify }) => {
  test('is in the guide as this test runs it', () => {
    const source = readFileSync(join(__dirname, `${name}.ts`), 'utf8');
    expect(codeBlocks('gateway/docs/guides/verify-webhooks.md', 'ts')).toContain(source);
  });

  test('accepts every delivery, and returns its body', () => {
    const { receiver, secret } = usual;
    for (const webhook of receiver.received) {
      expect(verify(webhook.text, headersOf(webhook), secret)).toEqual(webhook.body);
    }
  });

  test('refuses every delivery with one more byte, and another secret', () => {
    const { receiver, secret } = usual;
    for (const webhook of receiver.received) {
      expect(() => verify(changed(webhook.text), headersOf(webhook), secret)).toThrow();
      expect(() => verify(webhook.text, headersOf(webhook), prefixed.secret)).toThrow();
    }
  });
});

describe("the client's own verification", () => {
  const billing = new Billing({ apiKey: 'billing_test_none', baseUrl: 'http://127.0.0.1:9' });

  test('accepts every delivery, and refuses another body, id, time and secret', () => {
    const { receiver, secret } = usual;
    for (const webhook of receiver.received) {
      const { text } = webhook;
      const headers = headersOf(webhook);
      const { 'webhook-id': id = '', 'webhook-timestamp': time = '' } = headers;
      expect(billing.webhooks.unwrap(text, headers, secret)).toEqual(webhook.body);
      for (const [body, more, key] of [
        [changed(text), {}, secret],
        [text, { 'webhook-id': `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}` }, secret],
        [text, { 'webhook-timestamp': String(Number(time) + 1) }, secret],
        [text, {}, prefixed.secret],
      ] as const) {
        const unwrap = () => billing.webhooks.unwrap(body, { ...headers, ...more }, key);
        expect(unwrap).toThrow('no_matching_signature');
      }
    }
  });
});

const linesOfReadme = codeBlocks('README.md', 'ts').flatMap((code) => code.trim().split('\n'));

test.each(linesOfReadme)(
  'the line %s of the README accepts every delivery, and refuses a changed one',
  (line) => {
    const { receiver, secret } = usual;
    const verify = (webhook: ReceivedWebhook, body: string): unknown =>
      runInNewContext(line, {
        ...{ standardwebhooks, svix, stripe },
        ...{ body, headers: headersOf(webhook), secret },
      });
    for (const webhook of receiver.received) {
      expect(() => verify(webhook, webhook.text)).not.toThrow();
      expect(() => verify(webhook, changed(webhook.text))).toThrow();
    }
  },
);

// Consumers of the official client verify the hexadecimal signature and read facts at the top
// level.
describe.each(kindsOfSubscriptions)("the vendor's consumer of %s", (type) => {
  const webhooks = () => prefixed.receiver.received.filter(({ body }) => body.type === type);

  test.each([
    ['the verified body', (body: any) => body],
    ['its payload, where there is one', (body: any) => body.payload ?? body],
  ])('reads the facts from %s', (_form, read) => {
    for (const webhook of webhooks()) {
      const { subscriptionId, customerId, status, canceledAt, reason } = read(
        verifiedByPrefix(webhook),
      );
      const { data } = webhook.body;
      expect(subscriptionId).toBe(data.subscription.id);
      expect(customerId).toBe(data.subscription.customerId);
      expect(status).toBe(data.subscription.status);
      const isEnd = type === 'subscription.canceled';
      expect(canceledAt).toBe(isEnd ? data.subscription.canceledAt : undefined);
      expect(reason).toBe(isEnd ? data.subscription.cancelReason : undefined);
    }
  });

  test('finds the type in the header with its prefix', () => {
    for (const { headers } of webhooks()) {
      expect(headers['acme-event']).toBe(type);
      expect(headers).not.toHaveProperty('billing-event');
      expect(headers).not.toHaveProperty('billing-signature');
    }
  });
});

/** The body, once the signature in the header with the prefix is verified. */
function verifiedByPrefix({ headers, text }: ReceivedWebhook): unknown {
  const [, time = '', signature = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['acme-signature'])) ?? [];
  const expected = createHmac('sha256', prefixed.secret).update(`${time}.${text}`).digest();
  expect(timingSafeEqual(Buffer.from(signature, 'hex'), expected)).toBe(true);
  return JSON.parse(text);
}
