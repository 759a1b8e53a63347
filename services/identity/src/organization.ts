import { refuseProblems, textProblems } from '@billing/kernel/input-problems';
import type { Transition } from '@billing/kernel/transition';

/** Who owns environments. Its id derives from its name, so that making it twice finds the first one. */
export interface Organization {
  readonly id: string;
  readonly name: string;
}

const nameLengthMax = 200;

/** The name by which an organisation is known. */
export function checkName(name: string): string {
  const trimmed = name.trim();
  refuseProblems({ name: textProblems(trimmed, { min: 1, max: nameLengthMax }) });
  return trimmed;
}

/** A new organisation. */
export function found(organization: Organization): Transition<Organization> {
  return { state: organization, events: [], commands: [] };
}
