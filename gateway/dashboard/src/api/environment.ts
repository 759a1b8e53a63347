import { createContext, use } from 'react';
import { type RoleName, scopesOfRole } from '@billing/gateway/dashboard/operator-permission';
import type { Environment, Session } from './resources';

/** Who works, and in which environment: known to everything inside the shell. */
export interface AtWork {
  readonly session: Session;
  readonly environment: Environment;
}

export const AtWorkContext = createContext<AtWork | undefined>(undefined);

export function useAtWork(): AtWork {
  const atWork = use(AtWorkContext);
  if (atWork === undefined) throw new Error('Outside of the shell');
  return atWork;
}

/** The environment that is looked at. */
export function useEnvironment(): Environment {
  return useAtWork().environment;
}

/** The live environment's time, as the session told it: what no sandbox's clock moves, such as keys, goes by it. */
export function useRealNow(): string {
  const { session } = useAtWork();
  return session.environments.find(({ kind }) => kind === 'LIVE')?.now ?? '';
}

/** What an environment is called by people. */
export function environmentName({ kind, name }: Pick<Environment, 'kind' | 'name'>): string {
  return kind === 'LIVE' ? 'Live' : (name ?? 'Sandbox');
}

/** Why whoever is signed in may not change a resource here, such as `webhook-endpoints`; undefined: they may. The server decides all the same. */
export function useRefusal(segment: string): string | undefined {
  const { session, environment } = useAtWork();
  return refusalOf(session.operator.role, { isLive: environment.kind === 'LIVE', segment });
}

/** Why a role may not change a resource, for readers; undefined: it may. */
export function refusalOf(
  role: RoleName,
  { isLive, segment }: { readonly isLive: boolean; readonly segment: string },
): string | undefined {
  const scopes = scopesOfRole(role, { isLive, segments: [segment] });
  if (scopes.length === 0 || scopes.includes(`${segment}:write`)) return undefined;
  return role === 'VIEWER'
    ? 'Viewers may look, but change nothing.'
    : `A ${role.toLowerCase()} may not change this in the live environment.`;
}
