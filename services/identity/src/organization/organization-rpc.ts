import type { AsyncHandlers } from '@billing/chassis/rpc';
import type { IdentityServiceServer } from '@billing/proto/billing/identity/v1/identity';
import { ensureOrganization, type EnsureOrganizationDependencies } from './ensure-organization';
import { toProtoEnvironment } from '../environment/environment-message';
import { checkName } from './organization';

type Handlers = Pick<AsyncHandlers<IdentityServiceServer>, 'ensureOrganization'>;

/** The call that creates organizations. */
export function organizationHandlers(dependencies: EnsureOrganizationDependencies): Handlers {
  return {
    ensureOrganization: async ({ name }, { storing }) => {
      const ensured = await ensureOrganization(checkName(name), storing, dependencies);
      const { organizationId, live, sandbox, now } = ensured;
      return {
        organizationId,
        live: toProtoEnvironment(live, now),
        sandbox: sandbox === undefined ? undefined : toProtoEnvironment(sandbox, now),
      };
    },
  };
}
