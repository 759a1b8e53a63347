import type { AsyncHandlers } from '@billing/chassis/rpc';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import type { OperatorServiceServer } from '@billing/proto/billing/identity/v1/operator';
import { changeOrganization, type Organization } from '../organization/organization';
import { otpauthAddress } from '../second-factor/totp';
import { invalidCredentials, type Operator } from './operator';
import { checkOwnRules, resetFactor } from './operator-factor';
import type { SecondFactors } from './second-factors';
import { sentOrigin } from './session';
import type { SignIn } from './sign-in';

export interface SecondFactorRpcDependencies {
  readonly signIn: SignIn;
  readonly secondFactors: SecondFactors;
  readonly operators: AggregateCollection<Operator>;
  readonly organizations: AggregateCollection<Organization>;
  readonly clock: Clock;
}

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  | 'beginSecondFactor'
  | 'confirmSecondFactor'
  | 'deleteSecondFactor'
  | 'resetSecondFactor'
  | 'updateSignInRules'
>;

export function secondFactorHandlers(dependencies: SecondFactorRpcDependencies): Handlers {
  const { signIn, secondFactors, operators, organizations, clock } = dependencies;
  return {
    beginSecondFactor: async ({ sessionToken }, call) => {
      const { operator } = await signIn.authenticate(sessionToken);
      const { tenant, state } = operator;
      const organization = await organizations
        .within({ tenant, now: clock.now() })
        .get(tenant.organizationId);
      const secret = await secondFactors.begin(operator, call);
      const names = { issuer: organization.state.name, account: state.email };
      return { secret, uri: otpauthAddress({ ...names, secret }) };
    },
    confirmSecondFactor: async ({ sessionToken, code }, call) => {
      const signedIn = await signIn.authenticate(sessionToken);
      const { operator, session } = signedIn;
      const keepSession = (state: Operator) => signIn.keepSession(signedIn, state);
      const codes = await secondFactors.confirm(operator, { session, code, keepSession }, call);
      return { recoveryCodes: [...codes] };
    },
    deleteSecondFactor: async ({ sessionToken, password, code, origin: sent }, call) => {
      const origin = sentOrigin(sent);
      const { operator } = await signIn.authenticate(sessionToken);
      const { id, email, passwordHash } = operator.state;
      // An operator of an identity provider alone has no password to verify.
      if (passwordHash !== undefined) {
        const proven = await signIn.verifyPassword({ email, password, origin }, call);
        if (proven.state.id !== id) throw invalidCredentials();
      }
      await secondFactors.remove(operator, { code, origin }, call);
      return {};
    },
    resetSecondFactor: async ({ sessionToken, operatorId }, { storing }) => {
      const { state: actor, tenant } = (await signIn.authenticate(sessionToken)).operator;
      await operators
        .within({ tenant, now: clock.now(), storing })
        .mutate(operatorId, (operator) => resetFactor(operator, actor));
      return {};
    },
    updateSignInRules: async ({ sessionToken, ...changes }, { storing }) => {
      const { operator, session } = await signIn.authenticate(sessionToken);
      const { isByProvider } = session.state;
      const { isAvailable } = secondFactors;
      checkOwnRules(operator.state, { isByProvider, isAvailable }, changes);
      const { tenant } = operator;
      const changed = await organizations
        .within({ tenant, now: clock.now(), storing })
        .mutate(tenant.organizationId, (organization) => changeOrganization(organization, changes));
      const { name, signInRules } = changed.state;
      return { name, signInRules };
    },
  };
}
