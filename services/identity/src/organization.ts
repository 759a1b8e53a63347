import { DomainError } from '@billing/kernel/domain-error';
import { lineProblems, refuseProblems } from '@billing/kernel/input-problems';
import { only, type Transition, unchanged } from '@billing/kernel/transition';

/** Who owns environments. Its id derives from its name, so that making it twice finds the first one. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  /** Ids of the active operators who are owners. One who is being made or unmade an owner may be missing. */
  readonly owners: readonly string[];
}

const nameLengthMax = 200;

/** The name by which an organisation is known. */
export function checkName(name: string): string {
  const trimmed = name.trim();
  refuseProblems({ name: lineProblems(trimmed, { min: 1, max: nameLengthMax }) });
  return trimmed;
}

/** A new organisation. */
export function found(organization: Omit<Organization, 'owners'>): Transition<Organization> {
  return only({ ...organization, owners: [] });
}

/** Counts an operator among the owners, once they are one. */
export function addOwner(organization: Organization, operatorId: string): Transition<Organization> {
  const { owners } = organization;
  if (owners.includes(operatorId)) return unchanged(organization);
  return only({ ...organization, owners: [...owners, operatorId] });
}

/** Counts an operator no more, before they stop being an owner. An organisation always keeps one. */
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
