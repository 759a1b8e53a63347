import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { addOwner, type Organization, removeOwner } from '../organization/organization';
import { change, type Operator } from './operator';

export interface UpdateOperatorDependencies {
  readonly organizations: AggregateCollection<Organization>;
  readonly operators: AggregateCollection<Operator>;
  readonly clock: Clock;
}

interface OperatorChange extends Pick<CallContext, 'tenant' | 'storing'> {
  readonly changes: Parameters<typeof change>[1];
  readonly actor: Operator;
}

/**
 * Changes an operator. A leaving owner is removed from the count before the change, and a new one
 * is added afterwards: after any interruption, the organization never counts an owner that it does
 * not have.
 */
export async function updateOperator(
  id: string,
  { changes, actor, tenant, storing }: OperatorChange,
  { operators, organizations, clock }: UpdateOperatorDependencies,
): Promise<Stored<Operator>> {
  const place = { tenant, now: clock.now(), storing };
  const own = operators.within(place);
  const organization = organizations.within(place);
  const { state: before } = await own.get(id);
  const { state: after } = change(before, changes, actor);
  const { organizationId } = tenant;
  if (isActiveOwner(before) && !isActiveOwner(after)) {
    await organization.mutate(organizationId, (state) => removeOwner(state, id));
  }
  const changed = await own.mutate(id, (state) => change(state, changes, actor));
  if (isActiveOwner(changed.state)) {
    await organization.mutate(organizationId, (state) => addOwner(state, id));
  }
  return changed;
}

function isActiveOwner({ role, active }: Operator): boolean {
  return role === 'OWNER' && active;
}
