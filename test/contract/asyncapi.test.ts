import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { withoutUnnamedFields } from '../support/described-answers';
import { lintDocument } from './document-lint';
import { product } from '../support/patterns';
import { card, Payer } from '../support/payer';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver';

const kindsWithEvents = [
  'checkout.completed',
  'checkout.expired',
  'subscription.canceled',
  'subscription.created',
  'subscription.payment_failed',
  'subscription.payment_succeeded',
  'subscription.renewed',
  'subscription.updated',
];
const patience = { timeoutMs: 60_000 };

let system: TestSystem;
let receiver: WebhookReceiver;
let text: string;

beforeAll(async () => {
  system = await joinTestSystem();
  receiver = await startWebhookReceiver();
  text = await (await fetch(`${system.gatewayUrl}/asyncapi.json`)).text();
});

afterAll(async () => {
  await receiver.close();
});

test('the AsyncAPI document has neither errors nor warnings', async () => {
  const { totals, problems } = await lintDocument('asyncapi', text);
  expect(problems).toEqual([]);
  expect(totals).toMatchObject({ errors: 0, warnings: 0 });
}, 60_000);

test('the document is public, and answers 304 to a client that has it', async () => {
  const url = `${system.gatewayUrl}/asyncapi.json`;
  const answer = await fetch(url);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await answer.json()).toMatchObject({ asyncapi: '3.0.0' });
  const again = await fetch(url, {
    headers: { 'If-None-Match': answer.headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
  // A 304 updates the headers of a cached response.
  for (const name of ['cache-control', 'content-security-policy']) {
    expect(again.headers.get(name)).toBe(answer.headers.get(name));
  }
});

test('webhooks of every kind match the document, to the last field and header', async () => {
  const check = webhookCheck(JSON.parse(text));
  const sandbox = await system.live.manualSandbox('2026-01-31T00:00:00Z');
  const endpoint = await sandbox.expect(
    201,
    sandbox.post('/webhook-endpoints', { url: receiver.url, events: kindsWithEvents }),
  );
  await causeAllKinds(sandbox);
  await sandbox.expect(202, sandbox.post(`/webhook-endpoints/${String(endpoint.id)}/test`));
  await eventually(() => {
    const types = new Set(receiver.received.map(({ body }) => body.type as string));
    expect([...types].sort()).toEqual([...kindsWithEvents, 'webhook_endpoint.test']);
  }, patience);
  for (const webhook of receiver.received) check(webhook);
}, 240_000);

/** Triggers every kind of webhook. */
async function causeAllKinds(api: ApiClient): Promise<void> {
  const create = (path: string, body: object) => api.expect(201, api.post(path, body));
  const { id: customerId } = await create('/customers', { email: 'a@example.com' });
  const { id: other } = await create('/customers', { email: 'b@example.com' });
  const { id: productId } = await create('/products', product);
  const subscribe = (to: string, authorizedTransactionId: string) =>
    create('/subscriptions', { customerId: to, productId, authorizedTransactionId });
  const { id } = await subscribe(customerId, 'txn_4242424242424242');
  await subscribe(other, 'txn_4000000000000002');
  const paid = await create('/checkout', { customerId, productId });
  await create('/checkout', { customerId, productId });
  const payer = new Payer(system.gatewayUrl);
  await payer.submit(await payer.open(paid.checkoutUrl), card());
  await api.advanceTo('2026-02-28T00:00:00Z');
  await api.expect(200, api.post(`/subscriptions/${String(id)}/cancel`, { atPeriodEnd: true }));
  await api.advanceTo('2026-03-31T00:00:00Z');
}

function webhookCheck(document: any): (webhook: ReceivedWebhook) => void {
  const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(withoutUnnamedFields(document), 'webhooks');
  return ({ headers, body }) => {
    const { messages } = document.components;
    const pointer = `webhooks#/components/messages/${String(body.type)}/payload`;
    const ofHeaders = { $ref: 'webhooks#/components/schemas/WebhookHeaders' };
    const sent = Object.fromEntries(
      Object.keys(document.components.schemas.WebhookHeaders.properties).map((name) => [
        name,
        headers[name.toLowerCase()],
      ]),
    );
    expect(Object.keys(messages)).toContain(body.type);
    const isDescribed = ajv.validate({ $ref: pointer }, body) && ajv.validate(ofHeaders, sent);
    if (!isDescribed) throw new Error(`${body.type}: ${ajv.errorsText()}: ${JSON.stringify(body)}`);
  };
}
