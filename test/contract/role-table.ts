import { routes } from '@billing/gateway/routes';
import { operatorApiRoutes } from '@billing/gateway/operator/api';
import type { RouteExample } from '../support/isolation/isolation-examples';
import type { RoleName } from '../support/operator-client';
import { unknownId } from '../support/patterns';

/**
 * The rights of all roles on the dashboard, in one place. Every operation must be in this table.
 */
export const roles: readonly RoleName[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER'];
export type Place = 'live' | 'sandbox';

/** One operation, with an example call. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

const named = ({ method, path }: { method: string; path: string }): Operation => ({
  name: `${method} ${path}`,
  method,
  path,
});

/** The operations of the public API. */
export const apiOperations = routes.map((route) => ({
  ...named(route),
  readsOnly: route.readsOnly === true,
}));
type ApiOperation = (typeof apiOperations)[number];

/**
 * The writes of each role in the public API, by the first segment of the path; every role may read
 * everything.
 */
const writing: Readonly<Record<Place, Readonly<Record<RoleName, readonly string[] | 'all'>>>> = {
  live: {
    OWNER: 'all',
    ADMIN: 'all',
    DEVELOPER: ['api-keys', 'sandboxes', 'webhook-endpoints'],
    VIEWER: [],
  },
  sandbox: { OWNER: 'all', ADMIN: 'all', DEVELOPER: 'all', VIEWER: [] },
};

// Only the live environment has sandboxes.
const ofLive = new Set([
  'GET /sandboxes',
  'POST /sandboxes',
  'PATCH /sandboxes/:id',
  'DELETE /sandboxes/:id',
]);

export function mayCall(
  role: RoleName,
  place: Place,
  { name, method, path, readsOnly }: ApiOperation,
): boolean {
  if (place === 'sandbox' && ofLive.has(name)) return false;
  if (method === 'GET' || readsOnly) return true;
  const segments = writing[place][role];
  return segments === 'all' || segments.includes(path.split('/')[1] ?? '');
}

/** The operations of the operators' own API. */
export const operatorOperations = operatorApiRoutes.map((route) => ({
  ...named(route),
  needsSession: route.isOpen !== true,
  needsEnvironment: 'isOfEnvironment' in route && route.isOfEnvironment === true,
}));
export type OperatorOperation = (typeof operatorOperations)[number];

const leaders: readonly RoleName[] = ['OWNER', 'ADMIN'];

/**
 * The roles for changes and restricted reads. An operation not named here is a read for every
 * signed-in operator.
 */
const operatorRights: Readonly<Record<string, readonly RoleName[]>> = {
  'POST /session': roles,
  'DELETE /session': roles,
  'POST /invitations/look': roles,
  'POST /invitations/accept': roles,
  'POST /password-resets': roles,
  'POST /reset-links/look': roles,
  'POST /reset-links/use': roles,
  'DELETE /sessions/:id': roles,
  'PUT /password': roles,
  'PATCH /operators/me': roles,
  'PUT /operators/me/email': roles,
  'POST /second-factor': roles,
  'POST /second-factor/confirm': roles,
  'POST /second-factor/remove': roles,
  'DELETE /operators/:id/second-factor': ['OWNER'],
  'PATCH /organization': ['OWNER'],
  'GET /audit': leaders,
  'GET /system/commands': leaders,
  'POST /system/commands/:service/:id/retry': leaders,
  'POST /system/commands/:service/:id/skip': leaders,
  'GET /audit.ndjson': leaders,
  'POST /email-test': leaders,
  'POST /operators': leaders,
  'PATCH /operators/:id': leaders,
  'POST /operators/:id/reset-link': leaders,
};

/** Operations that need no session. */
export const openOperations = [
  'GET /sign-in-ways',
  'POST /session',
  'DELETE /session',
  'POST /invitations/look',
  'POST /invitations/accept',
  'POST /password-resets',
  'POST /reset-links/look',
  'POST /reset-links/use',
];

export function mayAsk(role: RoleName, { name, method }: OperatorOperation): boolean {
  const named = operatorRights[name];
  if (named !== undefined) return named.includes(role);
  if (method !== 'GET') throw new Error(`${name} is a write: add its roles to role-table.ts`);
  return true;
}

/** Calls of the operators' own API that would change something if they were authorized. */
export function operatorExample(
  { name, path }: OperatorOperation,
  { operatorId, environmentId }: { operatorId: string; environmentId: string },
) {
  const bodies: Readonly<Record<string, object>> = {
    'POST /operators': { email: 'by-operator@example.com', role: 'VIEWER' },
    'PATCH /operators/:id': { active: false },
    'PATCH /organization': { requireSecondFactor: true },
    'PATCH /operators/me': { name: '' },
    'PUT /operators/me/email': { email: 'me@example.com', password: 'not the password' },
    'PUT /password': { currentPassword: 'not the password', newPassword: 'another longer one' },
  };
  const filled = path
    .replace(':id', path.startsWith('/environments/') ? environmentId : operatorId)
    .replace(':token', 't'.repeat(43))
    .replace(':service', 'subscription');
  return { path: filled, body: bodies[name] };
}

/** The same call without an existing resource: it has no effect even if it is authorized. */
export function harmless({ path }: RouteExample): RouteExample {
  return {
    path: path.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, unknownId),
    body: {},
  };
}
