import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { KeyedMutex } from '@billing/chassis/keyed-mutex';
import type { Transition } from '@billing/kernel/transition';
import type { KeyCreator } from '../api-key/api-key';
import type { ApiKeyStore } from '../api-key/api-key-store';
import { type Environment, openSandbox, type SandboxInput } from '../environment/environment';
import { sandboxTenant } from '../environment/environment-store';
import type { KeyLineage } from '../api-key/lineage-store';
import { insufficientPermissions } from '../operator/operator';
import type { SandboxSlotStore } from './sandbox-slot-store';

export interface CreateSandboxDependencies {
  readonly environments: AggregateCollection<Environment>;
  readonly sandboxSlots: SandboxSlotStore;
  readonly apiKeys: ApiKeyStore;
  readonly lineage: KeyLineage;
  readonly clock: Clock;
}

/** A sandbox and the text of its first key. */
export interface CreatedSandbox {
  readonly sandbox: Stored<Environment>;
  readonly key: string;
  /** Real time of the answer. */
  readonly now: Date;
}

const firstKey = { name: 'First key', scopes: [] };

/** Creates a sandbox with its first key, for a caller of the organization's live environment. */
export async function createSandbox(
  { input, createdBy }: { readonly input: SandboxInput; readonly createdBy: KeyCreator },
  context: CallContext,
  dependencies: CreateSandboxDependencies,
): Promise<CreatedSandbox> {
  const { environments, apiKeys, lineage, clock } = dependencies;
  const { tenant, storing, resourceSeed } = context;
  const now = clock.now();
  const caller = await environments.within({ tenant, now }).get(tenant.environmentId);
  if (caller.state.kind !== 'LIVE') throw insufficientPermissions();
  const transition = openSandbox(newResourceId(context, 'sandbox'), input, now);
  const { id, kind } = transition.state;
  const tenantOfSandbox = sandboxTenant(caller.tenant.organizationId, id, {
    manualClock: transition.state.clock.kind === 'MANUAL',
  });
  const { environmentId: creatorEnvironmentId } = tenant;
  // Without the gate: a key is no sandbox, whose write has to be the first that counts.
  const place = { tenant: tenantOfSandbox, kind, createdBy, creatorEnvironmentId, resourceSeed };
  const issueKey = async () =>
    lineage.issueFor(createdBy, context, (expiresAt) =>
      apiKeys.issue(place, { ...firstKey, expiresAt }),
    );
  const sandboxPlace = { tenant: tenantOfSandbox, storing };
  const { sandbox, key } = await insertSandbox(transition, sandboxPlace, dependencies, issueKey);
  return { sandbox, key, now };
}

// Serialized: creations of one organization would race each other for the same slot.
const creations = new KeyedMutex();

/**
 * Inserts a sandbox that holds one of its organization's slots, after its key: a creation that
 * fails before the last write leaves no sandbox, and a key that no caller knows. A retry finds the
 * first ones.
 */
async function insertSandbox(
  transition: Transition<Environment>,
  { tenant, storing }: Pick<CallContext, 'tenant' | 'storing'>,
  { environments, sandboxSlots, clock }: CreateSandboxDependencies,
  issueKey: () => Promise<{ readonly key: string }>,
): Promise<Omit<CreatedSandbox, 'now'>> {
  const { organizationId } = tenant;
  const { id } = transition.state;
  return creations.runExclusive([organizationId], async () => {
    const store = environments.within({ tenant, now: clock.now(), storing });
    const existing = await store.find(id);
    if (existing === undefined) await sandboxSlots.take(organizationId, id, storing);
    const { key } = await issueKey();
    return { sandbox: existing ?? (await store.insert(transition)).stored, key };
  });
}
