import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import type { OperatorServiceServer } from '@billing/proto/billing/identity/v1/operator';
import type { Environment } from './environment';
import { toProtoEnvironment } from './environment-rpc';
import { invalidCredentials, type Operator, setPassword } from './operator';
import { toProtoOperator } from './operator-rpc';
import type { Organization } from './organization';
import { passwordProblems } from './password';
import type { SignIn } from './sign-in-service';

/** What the calls about sessions work with. */
export interface SessionRpcOptions {
  readonly signIn: SignIn;
  readonly organizations: AggregateCollection<Organization>;
  readonly environments: AggregateCollection<Environment>;
  readonly operators: AggregateCollection<Operator>;
  /** An organisation's, live first, then the newest. */
  readonly environmentsOf: (organizationId: string) => Promise<readonly Stored<Environment>[]>;
  readonly clock: Clock;
}

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  | 'logIn'
  | 'logInByProvider'
  | 'authenticateOperator'
  | 'logOut'
  | 'changePassword'
  | 'listEnvironments'
>;

export function sessionHandlers(options: SessionRpcOptions): Handlers {
  const { signIn, organizations, environments, environmentsOf, operators, clock } = options;
  return {
    logIn: async (credentials) => {
      const operator = await signIn.logIn(credentials);
      return { operator: toProtoOperator(operator), session: await signIn.open(operator) };
    },

    logInByProvider: async (request) => {
      const operator = await signIn.logInByProvider(request);
      return { operator: toProtoOperator(operator), session: await signIn.open(operator) };
    },

    authenticateOperator: async ({ sessionToken, environmentId }) => {
      const { operator } = await signIn.of(sessionToken);
      const now = clock.now();
      const { tenant } = operator;
      const place = { tenant, now };
      const { state } = await organizations.within(place).get(tenant.organizationId);
      const environment =
        environmentId === undefined
          ? undefined
          : await environments
              .within({ tenant: { ...tenant, environmentId }, now })
              .get(environmentId);
      // The id alone says nothing about whose it is.
      if (environment !== undefined && environment.tenant.organizationId !== state.id) {
        throw notFound('Environment');
      }
      return {
        operator: toProtoOperator(operator),
        organizationId: state.id,
        organizationName: state.name,
        liveEnvironmentId: tenant.environmentId,
        environment: environment === undefined ? undefined : toProtoEnvironment(environment, now),
      };
    },

    logOut: async ({ sessionToken }) => {
      await signIn.end(sessionToken);
      return {};
    },

    changePassword: async ({ sessionToken, currentPassword, newPassword, network }) => {
      const signedIn = await signIn.of(sessionToken);
      const { id, email } = signedIn.operator.state;
      refuseProblems({ newPassword: passwordProblems(newPassword, email) });
      const proven = await signIn.logIn({ email, password: currentPassword, network });
      if (proven.state.id !== id) throw invalidCredentials();
      const passwordHash = await signIn.hash(newPassword);
      const { state } = await operators
        .within({ tenant: proven.tenant, now: clock.now() })
        .mutate(id, (operator) => setPassword(operator, passwordHash));
      await signIn.keep(signedIn, state);
      return {};
    },

    listEnvironments: async ({ sessionToken }) => {
      const { operator } = await signIn.of(sessionToken);
      const now = clock.now();
      const all = await environmentsOf(operator.tenant.organizationId);
      return { environments: all.map((environment) => toProtoEnvironment(environment, now)) };
    },
  };
}
