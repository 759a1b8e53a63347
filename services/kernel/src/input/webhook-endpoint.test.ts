import { asksFor, webhookEndpointProblems } from './webhook-endpoint';

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
  expect(webhookEndpointProblems({ headerPrefix: text }, () => true).headerPrefix).toEqual(
    is ? [] : ['Invalid header prefix'],
  );
});

test.each([
  ['', ['Required']],
  ['x', ['Must be an absolute http or https URL']],
  ['http://0x0a.1/', ['Must be a public address']],
  ['http://10.0.0.2/', []],
])('the URL "%s" has the problems %j if the host 10.0.0.1 is refused', (url, problems) => {
  const found = webhookEndpointProblems({ url }, (hostname) => hostname !== '10.0.0.1');
  expect(found.url).toEqual(problems);
});

test.each([
  ['*'],
  ['subscription.*'],
  ['checkout.*'],
  ['subscription.renewed'],
  ['checkout.expired'],
])('"%s" names events', (name) => {
  expect(webhookEndpointProblems({ events: [name] }, () => true).events).toEqual([]);
});

test.each([
  [''],
  ['**'],
  ['.*'],
  ['*.*'],
  ['*.renewed'],
  ['sub*'],
  ['subscription'],
  ['subscription.'],
  ['subscription.re*'],
  ['Subscription.*'],
  ['webhook_endpoint.*'],
  ['unknown.*'],
])('"%s" names no events, and the problem contains its index', (name) => {
  const { events } = webhookEndpointProblems({ events: ['*', name] }, () => true);
  expect(events).toEqual(['1: Unknown event']);
});

test.each([
  [['*'], 'subscription.renewed', true],
  [['*'], 'resource_of_a_later_release.created', true],
  [['checkout.*'], 'checkout.expired', true],
  [['checkout.*'], 'checkout_link.created', false],
  [['subscription.*'], 'checkout.expired', false],
  [['checkout.expired', 'subscription.*'], 'subscription.renewed', true],
  [['subscription.renewed'], 'subscription.renewed', true],
  [['subscription.renewed'], 'subscription.created', false],
])('an endpoint for %j receives %s: %s', (events, type, receives) => {
  expect(asksFor(events, type)).toBe(receives);
});
