import { environmentName, environmentNameOf, refusalOf } from './environment';
import type { Environment } from './session';

test.each([
  ['OWNER', true, 'customers', undefined],
  ['ADMIN', true, 'customers', undefined],
  ['DEVELOPER', true, 'api-keys', undefined],
  [
    'DEVELOPER',
    true,
    'customers',
    'The developer role cannot change this in the live environment.',
  ],
  ['DEVELOPER', false, 'customers', undefined],
  ['VIEWER', false, 'api-keys', 'Viewers have read-only access.'],
] as const)(
  'the role %s, in the live environment: %s, may change %s unless refused: %s',
  (role, isLive, segment, refusal) => {
    expect(refusalOf(role, { isLive, segment })).toBe(refusal);
  },
);

test('a sandbox is displayed by its name, the live environment as Live', () => {
  expect(environmentName({ kind: 'LIVE', name: null })).toBe('Live');
  expect(environmentName({ kind: 'SANDBOX', name: null })).toBe('Sandbox');
  expect(environmentName({ kind: 'SANDBOX', name: 'Two years' })).toBe('Two years');
});

test('an environment that the session does not list is displayed by its id', () => {
  const listed = { id: 'e-1', kind: 'SANDBOX', name: 'Two years' } as Environment;
  expect(environmentNameOf({ environments: [listed] }, 'e-1')).toBe('Two years');
  expect(environmentNameOf({ environments: [listed] }, 'e-2')).toBe('e-2');
});
