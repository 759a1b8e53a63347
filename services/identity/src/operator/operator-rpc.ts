import type { Stored } from '@billing/chassis/aggregate';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import type {
  Operator as ProtoOperator,
  OperatorServiceServer,
  Role as ProtoRole,
} from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import { isConfirmed } from '../second-factor/second-factor';
import { isEmailFromProvider, isEmailProven, type Operator, type Role } from './operator';
import { updateOperator, type UpdateOperatorDependencies } from './update-operator';
import type { SignIn } from './sign-in';

export interface OperatorRpcDependencies extends UpdateOperatorDependencies {
  readonly signIn: SignIn;
  /** Revokes the keys that an operator created, and the keys created from them. */
  readonly revokeKeysOf: (operatorId: string, organizationId: string) => Promise<void>;
}

type Handlers = Pick<AsyncHandlers<OperatorServiceServer>, 'listOperators' | 'updateOperator'>;

const operatorsMax = 200;

export function operatorHandlers(dependencies: OperatorRpcDependencies): Handlers {
  const { signIn, operators, revokeKeysOf, clock } = dependencies;
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
      const changes = { role: sentRole(role), active };
      const updated = await updateOperator(
        operatorId,
        { changes, actor, tenant, storing },
        dependencies,
      );
      if (revokeKeys) await revokeKeysOf(operatorId, tenant.organizationId);
      return { operator: toProtoOperator(updated) };
    },
  };
}

function refuseRevocation(): never {
  throw invalidInput({ revokeKeys: ['Requires active: false'] });
}

export function toProtoOperator({ state, createdAt }: Stored<Operator>): ProtoOperator {
  const { id, email, name, role, active, invitedBy } = state;
  const emailProven = isEmailProven(state);
  const roleValue = operatorRoles.valueOf(role);
  const secondFactor = toProtoFactor(state);
  const emailFromProvider = isEmailFromProvider(state);
  const proven = { emailProven, emailFromProvider, secondFactor };
  return { id, email, name, role: roleValue, active, createdAt, invitedBy, ...proven };
}

/** Undefined for an operator without a second factor, and until it is confirmed. */
function toProtoFactor({ secondFactor }: Operator): ProtoOperator['secondFactor'] {
  if (!isConfirmed(secondFactor)) return undefined;
  const { confirmedAt, recoveryHashes } = secondFactor;
  return { confirmedAt, recoveryCodesLeft: recoveryHashes.length };
}

/** Undefined when no role is sent. */
export function sentRole(role: ProtoRole): Role | undefined {
  const name = operatorRoles.sentName(role);
  if (name === 'UNKNOWN') throw invalidInput({ role: ['Unknown role'] });
  return name;
}
