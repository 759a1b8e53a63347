import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { type Environment, openLive, openSandbox } from '../environment/environment';
import { firstSandboxTenant, liveTenant } from '../environment/environment-store';
import { createOrganization, type Organization } from './organization';

export interface EnsureOrganizationDependencies {
  readonly organizations: AggregateCollection<Organization>;
  readonly environments: AggregateCollection<Environment>;
  /** True when an environment was deleted, as far as this process knows. */
  readonly isDeleted: (environmentId: string) => boolean;
  readonly clock: Clock;
}

/** An organization and its first environments. */
export interface EnsuredOrganization {
  readonly organizationId: string;
  readonly live: Stored<Environment>;
  /** Undefined once deleted. */
  readonly sandbox: Stored<Environment> | undefined;
  /** Real time of the answer. */
  readonly now: Date;
}

/**
 * Creates an organization. Every id derives from the name, so racing and retried calls insert the
 * same documents. The organization comes last: while it is absent, the next call completes an
 * interrupted one; once it exists, a missing first sandbox was deleted and stays deleted.
 */
export async function ensureOrganization(
  name: string,
  storing: CallContext['storing'],
  dependencies: EnsureOrganizationDependencies,
): Promise<EnsuredOrganization> {
  const { organizations, environments, isDeleted, clock } = dependencies;
  const now = clock.now();
  const organizationId = derivedId('organization', name);
  const ofLive = liveTenant(organizationId);
  const own = organizations.within({ tenant: ofLive, now, storing });
  if ((await own.find(organizationId)) === undefined) {
    await insertFirstEnvironments(organizationId, storing, dependencies);
    await own.insert(createOrganization({ id: organizationId, name }));
  }
  const live = await environments.within({ tenant: ofLive, now }).get(ofLive.environmentId);
  const ofSandbox = firstSandboxTenant(organizationId);
  const { environmentId: sandboxId } = ofSandbox;
  const sandbox = await environments.within({ tenant: ofSandbox, now }).find(sandboxId);
  const isGone =
    sandbox === undefined || sandbox.state.deletedAt !== undefined || isDeleted(sandboxId);
  return { organizationId, live, sandbox: isGone ? undefined : sandbox, now };
}

async function insertFirstEnvironments(
  organizationId: string,
  storing: CallContext['storing'],
  { environments, clock }: EnsureOrganizationDependencies,
): Promise<void> {
  const now = clock.now();
  const [ofLive, ofSandbox] = [liveTenant(organizationId), firstSandboxTenant(organizationId)];
  const input = { name: '', clock: 'REAL', startsAt: undefined } as const;
  await environments
    .within({ tenant: ofLive, now, storing })
    .insert(openLive(ofLive.environmentId));
  await environments
    .within({ tenant: ofSandbox, now, storing })
    .insert(openSandbox(ofSandbox.environmentId, input, now));
}
