import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import { readPage } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import type {
  AuthenticateOperatorRequest,
  OperatorServiceServer,
} from '@billing/proto/billing/identity/v1/operator';
import type { AuditStore } from '../audit/audit-store';
import type { Environment } from '../environment/environment';
import type { EnvironmentStore } from '../environment/environment-store';
import { toProtoEnvironment } from '../environment/environment-message';
import { changePassword } from './update-password';
import type { Operator } from './operator';
import { isFactorMissing } from './operator-factor';
import { toProtoOperator } from './operator-rpc';
import { operatorActor, recordOnOperator } from './audit-operator';
import { type Origin, sentOrigin } from './session';
import { findByEmail } from './operator-store';
import type { Organization } from '../organization/organization';
import type { CommonPasswords } from '../password/password';
import type { SignIn } from './sign-in';

export interface SessionRpcDependencies {
  readonly signIn: SignIn;
  readonly organizations: AggregateCollection<Organization>;
  readonly environments: AggregateCollection<Environment>;
  readonly operators: AggregateCollection<Operator>;
  readonly environmentList: EnvironmentStore;
  readonly commonPasswords: CommonPasswords;
  readonly audit: AuditStore;
  readonly clock: Clock;
}

const logInAction = 'POST /dashboard/api/session';
const providerAction = 'GET /dashboard/sign-in/callback';

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  | 'logIn'
  | 'logInByProvider'
  | 'authenticateOperator'
  | 'logOut'
  | 'changePassword'
  | 'listEnvironments'
>;

export function sessionHandlers(dependencies: SessionRpcDependencies): Handlers {
  const { signIn, environmentList, clock } = dependencies;
  return {
    logIn: async ({ email, password, code, providerConfigured, origin: sent }, call) => {
      const origin = sentOrigin(sent);
      const { requestId } = call;
      const attempt = { email, origin, requestId, action: logInAction, status: 401 };
      const isProviderConfigured = providerConfigured;
      const operator = await audited(attempt, dependencies, () =>
        signIn.logIn({ email, password, code, isProviderConfigured, origin }, call),
      );
      const session = await signIn.open(operator, origin, call);
      return { operator: toProtoOperator(operator), session };
    },
    logInByProvider: async ({ origin: sent, ...verified }, call) => {
      const origin = sentOrigin(sent);
      const { email } = verified;
      const { requestId } = call;
      const attempt = { email, origin, requestId, action: providerAction, status: 403 };
      const operator = await audited(attempt, dependencies, () =>
        signIn.logInByProvider(verified, call),
      );
      const { storing } = call;
      const session = await signIn.open(operator, origin, { storing, isByProvider: true });
      return { operator: toProtoOperator(operator), session };
    },
    authenticateOperator: (request) => authenticateOperator(request, dependencies),

    logOut: async ({ sessionToken }) => {
      await signIn.end(sessionToken);
      return {};
    },

    changePassword: async (request, call) => {
      await changePassword(request, call, dependencies);
      return {};
    },

    listEnvironments: async (request) => {
      const { sessionToken, search, page, perPage, sandboxesOnly, oldestFirst } = request;
      const { operator } = await signIn.authenticate(sessionToken);
      const now = clock.now();
      const { data, total } = await environmentList.list({
        organizationId: operator.tenant.organizationId,
        search: search.trim(),
        isSandbox: sandboxesOnly,
        ...readPage({
          page: page === 0 ? 1 : page,
          perPage: perPage === 0 ? 20 : perPage,
          oldestFirst,
        }),
      });
      return {
        environments: data.map((environment) => toProtoEnvironment(environment, now)),
        total,
      };
    },
  };
}

interface SignInAttempt {
  readonly email: string;
  readonly origin: Origin;
  readonly requestId: string;
  readonly action: string;
  /** HTTP status of the response if the sign-in fails. */
  readonly status: number;
}

/** Refused field of a sign-in with a password, by the reason of the refusal. */
const refusedFields: Readonly<Record<string, string>> = {
  INVALID_CREDENTIALS: 'password',
  INVALID_SECOND_FACTOR: 'code',
};

/** Signs in; records a failure in the audit log of the operator's organization, if any. */
async function audited<T>(
  { email, origin, requestId, action, status }: SignInAttempt,
  dependencies: SessionRpcDependencies,
  signIn: () => Promise<T>,
): Promise<T> {
  try {
    return await signIn();
  } catch (error) {
    if (!(error instanceof DomainError) || !isRefusal(error)) throw error;
    const found = await findByEmail(dependencies.operators, email);
    if (found !== undefined) {
      const actor = operatorActor(found.state);
      const answered = error.kind === 'permission' ? 403 : status;
      const field = action === logInAction ? refusedFields[error.reason] : undefined;
      const changes = field === undefined ? [] : [{ field }];
      const refused = { actor, action, requestId, origin, changes, status: answered };
      await recordOnOperator(found, refused, dependencies);
    }
    throw error;
  }
}

/** True for a refused sign-in; a question for the code of the second factor is none. */
function isRefusal({ kind, reason }: DomainError): boolean {
  const isRefused = kind === 'unauthenticated' || kind === 'permission';
  return isRefused && reason !== 'SECOND_FACTOR_REQUIRED';
}

async function authenticateOperator(
  { sessionToken, environmentId }: AuthenticateOperatorRequest,
  { signIn, organizations, environments, clock }: SessionRpcDependencies,
) {
  const { operator, session } = await signIn.authenticate(sessionToken);
  const now = clock.now();
  const { tenant } = operator;
  const live = { tenant, now };
  const { state } = await organizations.within(live).get(tenant.organizationId);
  const environment =
    environmentId === undefined
      ? undefined
      : await environments.within({ tenant: { ...tenant, environmentId }, now }).get(environmentId);
  // An environment of another organization is as unknown as a deleted one.
  const isUnknown =
    environment?.tenant.organizationId !== state.id || environment.state.deletedAt !== undefined;
  if (environment !== undefined && isUnknown) {
    throw notFound('Environment');
  }
  return {
    operator: toProtoOperator(operator),
    organizationId: state.id,
    organizationName: state.name,
    liveEnvironmentId: tenant.environmentId,
    environment: environment === undefined ? undefined : toProtoEnvironment(environment, now),
    signInRules: state.signInRules,
    secondFactorMissing: isFactorMissing(operator.state, session.state, state.signInRules),
  };
}
