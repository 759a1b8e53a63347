import { createContext, use } from 'react';
import { type RoleName, scopesOfRole } from '@billing/gateway/access/operator-permission';
import type { Environment, Session } from './session';

/** Session of the signed-in operator and the selected environment. */
export interface Workspace {
  readonly session: Session;
  readonly environment: Environment;
}

export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

export function useWorkspace(): Workspace {
  const workspace = use(WorkspaceContext);
  if (workspace === undefined) throw new Error('Outside of the shell');
  return workspace;
}

/** The selected environment. */
export function useEnvironment(): Environment {
  return useWorkspace().environment;
}

/** Time of the live environment, for resources that follow real time, such as API keys. */
export function useRealNow(): string {
  const { session } = useWorkspace();
  return session.environments.find(({ kind }) => kind === 'LIVE')?.now ?? '';
}

/** Display name of an environment. */
export function environmentName({ kind, name }: Pick<Environment, 'kind' | 'name'>): string {
  return kind === 'LIVE' ? 'Live' : (name ?? 'Sandbox');
}

/** Display name of an environment by id; the id itself for one that the session does not list. */
export function environmentNameOf({ environments }: Pick<Session, 'environments'>, id: string) {
  const found = environments.find((one) => one.id === id);
  return found === undefined ? id : environmentName(found);
}

/**
 * Reason why the operator may not change a resource such as `webhook-endpoints`; undefined if
 * allowed. The server checks again.
 */
export function useRefusal(segment: string): string | undefined {
  const { session, environment } = useWorkspace();
  return refusalOf(session.operator.role, { isLive: environment.kind === 'LIVE', segment });
}

/** Reason why a role may not change a resource, as text; undefined if allowed. */
export function refusalOf(
  role: RoleName,
  { isLive, segment }: { readonly isLive: boolean; readonly segment: string },
): string | undefined {
  const scopes = scopesOfRole(role, { isLive, segments: [segment] });
  if (scopes.length === 0 || scopes.includes(`${segment}:write`)) return undefined;
  return role === 'VIEWER'
    ? 'Viewers have read-only access.'
    : `The ${role.toLowerCase()} role cannot change this in the live environment.`;
}
