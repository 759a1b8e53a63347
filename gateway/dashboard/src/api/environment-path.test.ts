import { chosenEnvironment, environmentPath, firstPath, samePlace } from './environment-path';

const live = { kind: 'LIVE', id: '0190a000-0000-7000-8000-000000000001' };
const sandbox = { kind: 'SANDBOX', id: '0190a000-0000-7000-8000-000000000002' };

test('a URL names its environment', () => {
  expect([environmentPath(live), environmentPath(sandbox)]).toEqual(['/live', `/${sandbox.id}`]);
  expect(chosenEnvironment([live, sandbox], sandbox.id)).toBe(sandbox);
  expect(chosenEnvironment([live, sandbox], 'live')).toBe(live);
  expect(chosenEnvironment([live, sandbox], undefined)).toBe(live);
  expect(chosenEnvironment([live, sandbox], 'sign-in')).toBeUndefined();
});

test('an owner who has joined starts in a sandbox, if there is one', () => {
  expect(firstPath([live, sandbox])).toBe(`/${sandbox.id}`);
  expect(firstPath([live])).toBe('/');
});

test.each([
  ['/', '/'],
  ['/customers', '/customers'],
  [`/customers/${live.id}`, '/customers'],
  [`/customers/${live.id}/invoices`, '/customers'],
  ['/developers/api-keys', '/developers/api-keys'],
  [`/developers/webhooks/${live.id}`, '/developers/webhooks'],
])('switching the environment at %s opens %s', (from, to) => {
  expect(samePlace(from)).toBe(to);
});
