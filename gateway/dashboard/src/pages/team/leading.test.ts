import { leadingRefusal, roles, rolesToGive } from './leading';

test.each([
  ['OWNER', ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER']],
  ['ADMIN', ['ADMIN', 'DEVELOPER', 'VIEWER']],
  ['DEVELOPER', []],
  ['VIEWER', []],
] as const)('%s gives %j', (role, given) => {
  expect(rolesToGive(role)).toEqual(given);
});

test('who gives nothing is told why', () => {
  const told = roles.filter((role) => leadingRefusal(role) !== undefined);
  expect(told).toEqual(['DEVELOPER', 'VIEWER']);
});
