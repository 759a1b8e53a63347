import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { eventually } from '@billing/chassis/testing';
import { withoutUnnamedFields } from '../support/described-answers';
import { lintDocument } from './document-lint';
import { causeEveryKind, everyKind } from '../support/every-kind';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver';

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
});

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
    sandbox.post('/webhook-endpoints', { url: receiver.url, events: ['*'] }),
  );
  await causeEveryKind(sandbox, system);
  await sandbox.expect(202, sandbox.post(`/webhook-endpoints/${String(endpoint.id)}/test`));
  await eventually(() => {
    const types = new Set(receiver.received.map(({ body }) => body.type as string));
    expect([...types].sort()).toEqual([...everyKind, 'webhook_endpoint.test']);
  });
  for (const webhook of receiver.received) check(webhook);
});

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
