import { curlText, grantableScopes, readOnlyScopes, startOfDay, wantedScopes } from './key-scopes';

const all = ['api-keys:read', 'api-keys:write', 'customers:read', 'customers:write'];

test.each([
  ['OWNER', true, all],
  ['DEVELOPER', true, ['api-keys:read', 'api-keys:write', 'customers:read']],
  ['DEVELOPER', false, all],
  ['VIEWER', true, ['api-keys:read', 'customers:read']],
] as const)(
  'the role %s, in the live environment: %s, grants a key its own scopes',
  (role, isLive, scopes) => {
    expect(grantableScopes(all, { role, isLive })).toEqual(scopes);
  },
);

test('a key without a choice of scopes gets all scopes that its creator may grant', () => {
  const grantable = ['customers:read'];
  expect(wantedScopes([], { all, grantable: all })).toBeUndefined();
  expect(wantedScopes([], { all, grantable })).toEqual(grantable);
  expect(wantedScopes(['customers:read'], { all, grantable: all })).toEqual(['customers:read']);
});

test('a read-only key reads what its creator may grant, and writes nothing', () => {
  expect(readOnlyScopes(all)).toEqual(['api-keys:read', 'customers:read']);
  expect(readOnlyScopes(['customers:read'])).toEqual(['customers:read']);
});

test.each([
  [[], '/v1/customers'],
  [['invoices:read', 'customers:write'], '/v1/invoices'],
  [['api-keys:write'], '/v1/customers'],
])('the command for a key with %j requests %s', (scopes, path) => {
  expect(curlText('billing_test_x', { origin: 'https://a.example', scopes })).toBe(
    `curl -s https://a.example${path} -H 'Authorization: Bearer billing_test_x'`,
  );
});

test('a key expires at the first instant of a day', () => {
  expect(startOfDay('2027-12-31')).toBe('2027-12-31T00:00:00Z');
  expect(startOfDay(undefined)).toBeUndefined();
});
