import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { readPage } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import type {
  IdentityServiceServer,
  Sandbox as ProtoSandbox,
} from '@billing/proto/billing/identity/v1/identity';
import { insufficientPermissions } from '../operator/operator';
import { deleteSandbox, type Environment, rename } from '../environment/environment';
import { fromProtoClockKind, toProtoEnvironment } from '../environment/environment-message';
import type { EnvironmentStore } from '../environment/environment-store';
import { fromProtoCreator } from '../api-key/api-key-rpc';
import { createSandbox, type CreateSandboxDependencies } from './create-sandbox';
import { stopAdvances } from '../environment/sandbox-clock';

export interface SandboxRpcDependencies extends CreateSandboxDependencies {
  readonly environmentList: EnvironmentStore;
}

type Handlers = Pick<
  AsyncHandlers<IdentityServiceServer>,
  'createSandbox' | 'findEnvironment' | 'listSandboxes' | 'updateSandbox' | 'deleteSandbox'
>;

/** Calls of the live environment about the organization's sandboxes. */
export function sandboxHandlers(dependencies: SandboxRpcDependencies): Handlers {
  const { environments, environmentList, apiKeys, clock } = dependencies;

  const toProto = (
    sandbox: Stored<Environment>,
    uses: ReadonlyMap<string, Date>,
  ): ProtoSandbox => ({
    environment: toProtoEnvironment(sandbox, clock.now()),
    lastUsedAt: uses.get(sandbox.state.id),
  });

  /** Finds the sandbox for a caller of its organization's live environment. */
  const find = async (id: string, { tenant, storing }: Pick<CallContext, 'tenant' | 'storing'>) => {
    const { organizationId } = await liveCaller(tenant, dependencies);
    const place = { tenant: { ...tenant, environmentId: id }, now: clock.now() };
    const found = await environments.within(place).find(id);
    const isKnown =
      found?.tenant.organizationId === organizationId &&
      found.state.kind === 'SANDBOX' &&
      found.state.deletedAt === undefined;
    if (!isKnown) throw notFound('Sandbox');
    return environments.within({ tenant: found.tenant, now: clock.now(), storing });
  };

  return {
    findEnvironment: async ({ id }) => {
      const found = await environmentList.find(id);
      if (found === undefined) throw notFound('Environment');
      return { environment: toProtoEnvironment(found, clock.now()) };
    },

    createSandbox: async ({ createdBy: creator, ...sent }, context) => {
      const input = { ...sent, clock: fromProtoClockKind(sent.clock) };
      const createdBy = fromProtoCreator(creator);
      const { sandbox, key, now } = await createSandbox(
        { input, createdBy },
        context,
        dependencies,
      );
      return { sandbox: toProtoEnvironment(sandbox, now), key };
    },

    listSandboxes: async (request, { tenant }) => {
      const { organizationId } = await liveCaller(tenant, dependencies);
      const wanted = { organizationId, isSandbox: true, ...readPage(request), id: request.id };
      const { data, total } = await environmentList.list(wanted);
      const uses = await apiKeys.lastUses(data.map(({ state }) => state.id));
      return { sandboxes: data.map((sandbox) => toProto(sandbox, uses)), total };
    },

    updateSandbox: async ({ id, name, expectedVersion }, context) => {
      const store = await find(id, context);
      // Read before the write: an error after it would deny a change that is stored.
      const uses = await apiKeys.lastUses([id]);
      const expected = expectedVersion === undefined ? undefined : Number(expectedVersion);
      const stored = await store.mutate(
        id,
        (environment) => rename(environment, name ?? environment.name),
        { expectedVersion: expected },
      );
      return { sandbox: toProto(stored, uses) };
    },

    deleteSandbox: async ({ id }, context) => {
      const store = await find(id, context);
      await store.mutate(id, (environment, now) => {
        if (environment.deletedAt !== undefined) throw notFound('Sandbox');
        return deleteSandbox(stopAdvances(environment).state, now);
      });
      return {};
    },
  };
}

async function liveCaller(
  tenant: Tenant,
  { environments, clock }: SandboxRpcDependencies,
): Promise<Tenant> {
  const place = { tenant, now: clock.now() };
  const caller = await environments.within(place).get(tenant.environmentId);
  if (caller.state.kind !== 'LIVE') throw insufficientPermissions();
  return caller.tenant;
}
