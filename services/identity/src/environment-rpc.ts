import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, newResourceId, type Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { KeyedMutex } from '@billing/chassis/keyed-mutex';
import { invalidInput } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import {
  ClockKind as ProtoClockKind,
  type Environment as ProtoEnvironment,
  EnvironmentKind as ProtoEnvironmentKind,
  type IdentityServiceServer,
} from '@billing/proto/billing/identity/v1/identity';
import { insufficientPermissions } from './api-key';
import { fromProtoCreator } from './key-creator-rpc';
import type { ApiKeyStore } from './api-key-store';
import {
  type ClockKind,
  type Environment,
  type EnvironmentKind,
  openLive,
  openSandbox,
  timeOf,
} from './environment';
import type { KeyLineage } from './key-lineage-store';
import type { EnvironmentStore } from './environment-store';
import { checkName, createOrganization, type Organization } from './organization';
import type { SandboxSlotStore } from './sandbox-slot-store';

export interface EnvironmentRpcOptions {
  readonly organizations: AggregateCollection<Organization>;
  readonly environments: AggregateCollection<Environment>;
  readonly environmentList: EnvironmentStore;
  readonly sandboxSlots: SandboxSlotStore;
  readonly apiKeys: ApiKeyStore;
  readonly lineage: KeyLineage;
  /** True when an environment was deleted, as far as this process knows. */
  readonly isDeleted: (environmentId: string) => boolean;
  readonly clock: Clock;
}

type Handlers = Pick<AsyncHandlers<IdentityServiceServer>, 'ensureOrganization' | 'createSandbox'>;

export function environmentHandlers(options: EnvironmentRpcOptions): Handlers {
  const { environments, apiKeys, lineage, clock } = options;
  return {
    ensureOrganization: async ({ name }, { storing }) =>
      ensureOrganization(checkName(name), storing, options),

    createSandbox: async (request, context) => {
      const { tenant, storing } = context;
      const now = clock.now();
      const caller = await environments.within({ tenant, now }).get(tenant.environmentId);
      if (caller.state.kind !== 'LIVE') throw insufficientPermissions();
      const wish = { ...request, clock: fromProtoClockKind(request.clock) };
      const transition = openSandbox(newResourceId(context, 'sandbox'), wish, now);
      const { id, kind } = transition.state;
      const tenantOfSandbox = sandboxTenant(caller.tenant.organizationId, id, {
        manualClock: transition.state.clock.kind === 'MANUAL',
      });
      const { resourceSeed } = context;
      const createdBy = fromProtoCreator(request.createdBy);
      const place = { tenant: tenantOfSandbox, kind, createdBy, resourceSeed, storing };
      const { sandbox, key } = await lineage.issueFor(createdBy, tenant, async (expiresAt) => {
        const made = await insertSandbox(transition, { tenant: tenantOfSandbox, storing }, options);
        return {
          sandbox: made,
          ...(await apiKeys.issue(place, { ...firstKey, expiresAt })),
        };
      });
      return { sandbox: toProtoEnvironment(sandbox, now), key };
    },
  };
}

// Serialized: creations of one organization would race each other for the same slot.
const creations = new KeyedMutex();

/** Inserts a sandbox that holds one of its organization's slots; a retry finds the first one. */
async function insertSandbox(
  transition: Transition<Environment>,
  { tenant, storing }: Pick<CallContext, 'tenant' | 'storing'>,
  { environments, sandboxSlots, clock }: EnvironmentRpcOptions,
): Promise<Stored<Environment>> {
  const { organizationId } = tenant;
  const { id } = transition.state;
  return creations.runExclusive([organizationId], async () => {
    const store = environments.within({ tenant, now: clock.now(), storing });
    const existing = await store.find(id);
    if (existing !== undefined) return existing;
    await sandboxSlots.take(organizationId, id, storing);
    return (await store.insert(transition)).stored;
  });
}

const firstKey = { name: 'First key', scopes: [] };

/**
 * Creates an organization. Every id derives from the name, so racing and retried calls insert the
 * same documents. The organization comes last: while it is absent, the next call completes an
 * interrupted one; once it exists, a missing first sandbox was deleted and stays deleted.
 */
async function ensureOrganization(
  name: string,
  storing: CallContext['storing'],
  options: EnvironmentRpcOptions,
) {
  const { organizations, environments, isDeleted, clock } = options;
  const now = clock.now();
  const organizationId = derivedId('organization', name);
  const ofLive = liveTenant(organizationId);
  const own = organizations.within({ tenant: ofLive, now, storing });
  if ((await own.find(organizationId)) === undefined) {
    await insertFirstEnvironments(organizationId, storing, options);
    await own.insert(createOrganization({ id: organizationId, name }));
  }
  const live = await environments.within({ tenant: ofLive, now }).get(ofLive.environmentId);
  const ofSandbox = firstSandboxTenant(organizationId);
  const { environmentId: sandboxId } = ofSandbox;
  const sandbox = await environments.within({ tenant: ofSandbox, now }).find(sandboxId);
  const isGone =
    sandbox === undefined || sandbox.state.deletedAt !== undefined || isDeleted(sandboxId);
  return {
    organizationId,
    live: toProtoEnvironment(live, now),
    sandbox: isGone ? undefined : toProtoEnvironment(sandbox, now),
  };
}

async function insertFirstEnvironments(
  organizationId: string,
  storing: CallContext['storing'],
  { environments, clock }: EnvironmentRpcOptions,
): Promise<void> {
  const now = clock.now();
  const [ofLive, ofSandbox] = [liveTenant(organizationId), firstSandboxTenant(organizationId)];
  const wish = { name: '', clock: 'REAL', startsAt: undefined } as const;
  await environments
    .within({ tenant: ofLive, now, storing })
    .insert(openLive(ofLive.environmentId));
  await environments
    .within({ tenant: ofSandbox, now, storing })
    .insert(openSandbox(ofSandbox.environmentId, wish, now));
}

/** `now` is real time. */
export function toProtoEnvironment(
  { state, tenant, createdAt, version }: Stored<Environment>,
  now: Date,
): ProtoEnvironment {
  return {
    id: state.id,
    organizationId: tenant.organizationId,
    kind: toProtoEnvironmentKind[state.kind],
    name: state.name,
    clock: toProtoClockKind[state.clock.kind],
    now: timeOf(state, now),
    createdAt,
    version: BigInt(version),
    deletesAt: state.deletesAt,
  };
}

export const toProtoClockKind: Readonly<Record<ClockKind, ProtoClockKind>> = {
  REAL: ProtoClockKind.CLOCK_KIND_REAL,
  MANUAL: ProtoClockKind.CLOCK_KIND_MANUAL,
};

const toProtoEnvironmentKind: Readonly<Record<EnvironmentKind, ProtoEnvironmentKind>> = {
  LIVE: ProtoEnvironmentKind.ENVIRONMENT_KIND_LIVE,
  SANDBOX: ProtoEnvironmentKind.ENVIRONMENT_KIND_SANDBOX,
};

function fromProtoClockKind(kind: ProtoClockKind): ClockKind {
  switch (kind) {
    case ProtoClockKind.CLOCK_KIND_UNSPECIFIED:
    case ProtoClockKind.CLOCK_KIND_REAL:
      return 'REAL';
    case ProtoClockKind.CLOCK_KIND_MANUAL:
      return 'MANUAL';
    default:
      throw invalidInput({ clock: ['Unknown clock'] });
  }
}

/** Id of an organization's first sandbox. */
export function firstSandboxId(organizationId: string): string {
  return derivedId(organizationId, 'sandbox');
}

/**
 * Tenant of an organization's live environment: there is one, whose id derives from the
 * organization's.
 */
export function liveTenant(organizationId: string): Tenant {
  const environmentId = derivedId(organizationId, 'live');
  return { organizationId, environmentId, live: true, manualClock: false };
}

function firstSandboxTenant(organizationId: string): Tenant {
  return sandboxTenant(organizationId, firstSandboxId(organizationId), { manualClock: false });
}

function sandboxTenant(
  organizationId: string,
  environmentId: string,
  { manualClock }: { manualClock: boolean },
): Tenant {
  return { organizationId, environmentId, live: false, manualClock };
}
