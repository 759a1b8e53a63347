import { DomainError } from '@billing/kernel/domain-error';
import { lineProblems, refuseProblems } from '@billing/kernel/input-problems';
import { only, type Transition, unchanged } from '@billing/kernel/transition';

/**
 * The owner of environments. Its id derives from its first name, so that a second creation finds
 * it, renamed or not.
 */
export interface Organization {
  readonly id: string;
  readonly name: string;
  /**
   * Ids of the active operators who are owners. An operator whose ownership is being changed may be
   * missing.
   */
  readonly owners: readonly string[];
  readonly signInRules: SignInRules;
}

/** How operators may sign in. */
export interface SignInRules {
  /** Operators who sign in with a password need a second factor. */
  readonly requireSecondFactor: boolean;
  /** Passwords are refused where an identity provider is configured. */
  readonly providerOnly: boolean;
}

/** Rules of a new organization. */
export const openSignInRules: SignInRules = { requireSecondFactor: false, providerOnly: false };

const nameLengthMax = 200;

/** Validates an organization's name. */
export function checkName(name: string): string {
  const trimmed = name.trim();
  refuseProblems({ name: lineProblems(trimmed, { min: 1, max: nameLengthMax }) });
  return trimmed;
}

/** Creates an organization. */
export function createOrganization(
  organization: Omit<Organization, 'owners' | 'signInRules'>,
): Transition<Organization> {
  return only({ ...organization, owners: [], signInRules: openSignInRules });
}

/** Changes of owners; what is absent stays. */
export interface OrganizationChanges {
  readonly name?: string | undefined;
  readonly requireSecondFactor?: boolean | undefined;
  readonly providerOnly?: boolean | undefined;
}

/** Changes the name, and how operators sign in. */
export function changeOrganization(
  organization: Organization,
  changes: OrganizationChanges,
): Transition<Organization> {
  const { signInRules: before } = organization;
  const name = changes.name === undefined ? organization.name : checkName(changes.name);
  const { requireSecondFactor = before.requireSecondFactor, providerOnly = before.providerOnly } =
    changes;
  const isSame =
    name === organization.name &&
    requireSecondFactor === before.requireSecondFactor &&
    providerOnly === before.providerOnly;
  if (isSame) return unchanged(organization);
  return only({ ...organization, name, signInRules: { requireSecondFactor, providerOnly } });
}

/** Counts an operator among the owners, after they became one. */
export function addOwner(organization: Organization, operatorId: string): Transition<Organization> {
  const { owners } = organization;
  if (owners.includes(operatorId)) return unchanged(organization);
  return only({ ...organization, owners: [...owners, operatorId] });
}

/**
 * Removes an operator from the count before they stop being an owner. An organization always keeps
 * one.
 */
export function removeOwner(
  organization: Organization,
  operatorId: string,
): Transition<Organization> {
  const owners = organization.owners.filter((id) => id !== operatorId);
  if (owners.length === 0) {
    throw new DomainError(
      'failed_precondition',
      'LAST_OWNER',
      'An organization needs at least one owner',
    );
  }
  if (owners.length === organization.owners.length) return unchanged(organization);
  return only({ ...organization, owners });
}
