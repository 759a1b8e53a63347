import { managementRefusal, roles, assignableRoles } from './team-roles';

test.each([
  ['OWNER', ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER']],
  ['ADMIN', ['ADMIN', 'DEVELOPER', 'VIEWER']],
  ['DEVELOPER', []],
  ['VIEWER', []],
] as const)('the role %s may assign %j', (role, assignable) => {
  expect(assignableRoles(role)).toEqual(assignable);
});

test('roles that cannot manage the team get a reason', () => {
  const refused = roles.filter((role) => managementRefusal(role) !== undefined);
  expect(refused).toEqual(['DEVELOPER', 'VIEWER']);
});
