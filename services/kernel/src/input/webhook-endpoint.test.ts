import { webhookEndpointProblems } from './webhook-endpoint';

test.each([
  ['Billing', true],
  ['x', true],
  ['A-1', true],
  ['Webhooks', true],
  [`a${'b'.repeat(30)}`, true],
  [`a${'b'.repeat(31)}`, false],
  ['', false],
  ['1a', false],
  ['-a', false],
  ['a b', false],
  ['a_b', false],
  ['ä', false],
  ['Webhook', false],
  ['webHOOK', false],
])('"%s" is a prefix of headers: %s', (text, is) => {
  expect(webhookEndpointProblems({ headerPrefix: text }).headerPrefix).toEqual(
    is ? [] : ['Invalid header prefix'],
  );
});
