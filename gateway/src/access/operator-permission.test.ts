import { callScopes } from '@billing/chassis/call-context';
import { checkScope } from './scope';
import { type RoleName, scopesOfRole } from './operator-permission';

const segments = ['api-keys', 'customers', 'sandboxes', 'webhook-endpoints'];

function mayDo(role: RoleName, isLive: boolean): string[] {
  const scopes = callScopes(scopesOfRole(role, { isLive, segments }));
  return segments.flatMap((segment) =>
    ['GET', 'POST'].flatMap((method) => {
      try {
        checkScope(scopes, { method, segment });
        return [`${method} ${segment}`];
      } catch {
        return [];
      }
    }),
  );
}

const reads = segments.map((segment) => `GET ${segment}`).sort();
const everything = [...reads, ...segments.map((segment) => `POST ${segment}`)].sort();
const building = ['POST api-keys', 'POST sandboxes', 'POST webhook-endpoints'];

test.each<[RoleName, boolean, string[]]>([
  ['OWNER', true, everything],
  ['OWNER', false, everything],
  ['ADMIN', true, everything],
  ['ADMIN', false, everything],
  ['DEVELOPER', true, [...reads, ...building]],
  ['DEVELOPER', false, everything],
  ['VIEWER', true, reads],
  ['VIEWER', false, reads],
])(
  'an operator with the role %s (live: %s) has exactly these permissions',
  (role, isLive, allowed) => {
    expect(mayDo(role, isLive).sort()).toEqual([...allowed].sort());
  },
);
