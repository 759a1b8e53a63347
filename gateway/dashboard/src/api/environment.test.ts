import { environmentName, refusalOf } from './environment';

test.each([
  ['OWNER', true, 'customers', undefined],
  ['ADMIN', true, 'customers', undefined],
  ['DEVELOPER', true, 'api-keys', undefined],
  ['DEVELOPER', true, 'customers', 'A developer may not change this in the live environment.'],
  ['DEVELOPER', false, 'customers', undefined],
  ['VIEWER', false, 'api-keys', 'Viewers may look, but change nothing.'],
] as const)('%s, live: %s, may change %s unless told: %s', (role, isLive, segment, refusal) => {
  expect(refusalOf(role, { isLive, segment })).toBe(refusal);
});

test('an environment is called by its name, the live one by what it is', () => {
  expect(environmentName({ kind: 'LIVE', name: null })).toBe('Live');
  expect(environmentName({ kind: 'SANDBOX', name: null })).toBe('Sandbox');
  expect(environmentName({ kind: 'SANDBOX', name: 'Two years' })).toBe('Two years');
});
