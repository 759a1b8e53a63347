import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import type {
  Operator as ProtoOperator,
  OperatorServiceServer,
  Role as ProtoRole,
} from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import { change, isEmailProven, type Operator, type Role } from './operator';
import { addOwner, type Organization, removeOwner } from '../organization/organization';
import type { SignIn } from './sign-in-service';

export interface OperatorRpcOptions {
  readonly signIn: SignIn;
  readonly organizations: AggregateCollection<Organization>;
  readonly operators: AggregateCollection<Operator>;
  /** Revokes the keys that an operator created, and the keys created from them. */
  readonly revokeKeysOf: (operatorId: string, organizationId: string) => Promise<void>;
  readonly clock: Clock;
}

type Handlers = Pick<AsyncHandlers<OperatorServiceServer>, 'listOperators' | 'updateOperator'>;

const operatorsMax = 200;

export function operatorHandlers(options: OperatorRpcOptions): Handlers {
  const { signIn, operators, revokeKeysOf, clock } = options;
  return {
    listOperators: async ({ sessionToken }) => {
      const { tenant } = (await signIn.authenticate(sessionToken)).operator;
      const { data } = await operators
        .within({ tenant, now: clock.now() })
        .list({ page: 1, perPage: operatorsMax });
      return { operators: data.toReversed().map(toProtoOperator) };
    },

    updateOperator: async ({ sessionToken, operatorId, role, active, revokeKeys }, { storing }) => {
      if (revokeKeys && active !== false) refuseRevocation();
      const { state: actor, tenant } = (await signIn.authenticate(sessionToken)).operator;
      const wish = { role: sentRole(role), active };
      const updated = await update(operatorId, { wish, actor, tenant, storing }, options);
      if (revokeKeys) await revokeKeysOf(operatorId, tenant.organizationId);
      return { operator: toProtoOperator(updated) };
    },
  };
}

interface OperatorChange extends Pick<CallContext, 'tenant' | 'storing'> {
  readonly wish: Parameters<typeof change>[1];
  readonly actor: Operator;
}

/**
 * Changes an operator. A leaving owner is removed from the count before the change, and a new one
 * is added afterwards: after any interruption, the organization never counts an owner that it does
 * not have.
 */
async function update(
  id: string,
  { wish, actor, tenant, storing }: OperatorChange,
  { operators, organizations, clock }: OperatorRpcOptions,
): Promise<Stored<Operator>> {
  const place = { tenant, now: clock.now(), storing };
  const own = operators.within(place);
  const organization = organizations.within(place);
  const { state: before } = await own.get(id);
  const { state: after } = change(before, wish, actor);
  const { organizationId } = tenant;
  if (isActiveOwner(before) && !isActiveOwner(after)) {
    await organization.mutate(organizationId, (state) => removeOwner(state, id));
  }
  const changed = await own.mutate(id, (state) => change(state, wish, actor));
  if (isActiveOwner(changed.state)) {
    await organization.mutate(organizationId, (state) => addOwner(state, id));
  }
  return changed;
}

function refuseRevocation(): never {
  throw invalidInput({ revokeKeys: ['Requires active: false'] });
}

function isActiveOwner({ role, active }: Operator): boolean {
  return role === 'OWNER' && active;
}

export function toProtoOperator({ state, createdAt }: Stored<Operator>): ProtoOperator {
  const { id, email, name, role, active, invitedBy } = state;
  const emailProven = isEmailProven(state);
  const roleValue = operatorRoles.valueOf(role);
  return { id, email, name, role: roleValue, active, createdAt, invitedBy, emailProven };
}

/** Undefined when no role is sent. */
export function sentRole(role: ProtoRole): Role | undefined {
  const name = operatorRoles.sentName(role);
  if (name === 'UNKNOWN') throw invalidInput({ role: ['Unknown role'] });
  return name;
}
