import type { Request } from 'express';
import { callScopes, type CallContext, type Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { isId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import type { Environment } from '@billing/proto/billing/identity/v1/identity';
import type {
  AuthenticateOperatorResponse,
  ListEnvironmentsResponse,
  Operator,
  Origin,
  SignInRules,
} from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import { liveTenantOf } from './live-tenant';
import type { AuditDetail } from './audit-detail';
import { isRead } from '../http/method';
import { tenantOf } from './environment';
import type { Call } from '../http/exchange';
import { RequestError, toHttpError } from '../http/error';
import { originOf, requireOwnOrigin } from '../http/same-site';
import type { Peers } from '../peer/peers';
import { type ApiAnswer, present } from '../http/answer';
import { readOperatorSession } from './operator-cookie';
import { scopesOfRole } from './operator-permission';

/** A signed-in operator with the session. */
export interface SignedIn {
  readonly session: string;
  readonly operator: Operator;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly liveEnvironmentId: string;
  readonly signInRules: SignInRules;
  /** The session may set up a second factor, and nothing else. */
  readonly isFactorMissing: boolean;
}

/** An operator with a selected environment. */
export interface OperatorAtWork {
  readonly signedIn: SignedIn;
  readonly tenant: Tenant;
  /** Permissions of the role in the environment; empty means all. */
  readonly scopes: readonly string[];
}

/** Query for the environments of an organization. */
export interface EnvironmentsQuery {
  readonly search?: string | undefined;
  /** Excludes the live environment. */
  readonly sandboxesOnly?: boolean | undefined;
  readonly page: number;
  readonly perPage: number;
  /** True: the live environment last, and before it the newest. */
  readonly oldestFirst?: boolean | undefined;
}

/** Dependencies of the operator access. */
export interface OperatorAccessDependencies {
  readonly operators: Pick<
    Peers['operator'],
    'authenticateOperator' | 'listEnvironments' | 'beginAuditEntry' | 'endAuditEntry'
  >;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Public URL of the gateway. */
  readonly siteUrl: string;
  /** First path segments of all routes, from which scopes are named. */
  readonly segments: readonly string[];
}

/** A change to be recorded in the audit log. */
export interface AuditedAction {
  /** Method and route with parameter names. */
  readonly action: string;
  readonly path: string;
  readonly environmentId?: string | undefined;
}

/** Header that names the selected environment. */
const environmentHeader = 'Environment-Id';

// The caller waits for this write, and a response matters more than a complete log.
const endTimeoutMs = 2_000;

/**
 * Authenticates and authorizes operators, and audits their changes. Nothing is cached, so a revoked
 * role ends immediately.
 */
export class OperatorAccess {
  constructor(private readonly dependencies: OperatorAccessDependencies) {}

  get siteUrl(): string {
    return this.dependencies.siteUrl;
  }

  /** First path segments of all routes, from which scopes are named. */
  get segments(): readonly string[] {
    return this.dependencies.segments;
  }

  /** Session token in the cookie of a request, if any. */
  sessionOf(request: Request): string | undefined {
    return readOperatorSession(request.header('cookie'), this.siteUrl);
  }

  /** Throws unauthenticated for an invalid session. */
  async signedIn(session: string, call: Call): Promise<SignedIn> {
    return toSignedIn(session, await this.ask(session, undefined, call));
  }

  /**
   * Resolves a session and an environment of the operator's organization. Throws not_found for any
   * other environment.
   */
  async atWork(session: string, environmentId: string, call: Call): Promise<OperatorAtWork> {
    const answer = await this.ask(session, environmentId, call);
    const tenant = tenantOf(present(answer.environment));
    const signedIn = toSignedIn(session, answer);
    requireSecondFactor(signedIn);
    const { segments } = this.dependencies;
    const role = operatorRoles.nameOf(signedIn.operator.role);
    const scopes = callScopes(scopesOfRole(role, { isLive: tenant.live, segments }));
    return { signedIn, tenant, scopes };
  }

  /** Finds an environment of the operator's organization. Throws not_found for any other. */
  async environment(session: string, environmentId: string, call: Call): Promise<Environment> {
    return present((await this.ask(session, environmentId, call)).environment);
  }

  /**
   * Lists the environments of an operator: live first, then newest first. `search` is a part of a
   * name or an id.
   */
  async environments(
    session: string,
    call: Call,
    { search = '', sandboxesOnly = false, page, perPage, oldestFirst }: EnvironmentsQuery,
  ): Promise<ListEnvironmentsResponse> {
    const request = { sessionToken: session, search, page, perPage, sandboxesOnly, oldestFirst };
    return this.dependencies.operators.listEnvironments(request, call as CallContext);
  }

  /**
   * Operator who calls the public API; undefined without a session cookie. Reads must also come
   * from our own pages.
   */
  async callerOf(request: Request, call: Call): Promise<OperatorAtWork | undefined> {
    const session = this.sessionOf(request);
    if (session === undefined) return undefined;
    const referrer = isRead(request.method) ? request.header('referer') : undefined;
    requireOwnOrigin(originOf(request), { referrer });
    return this.atWorkWhere(session, request, call);
  }

  /** Resolves a session and the environment in the request header. */
  async atWorkWhere(session: string, request: Request, call: Call): Promise<OperatorAtWork> {
    const environmentId = request.header(environmentHeader);
    if (environmentId !== undefined && isId(environmentId)) {
      return this.atWork(session, environmentId, call);
    }
    await this.signedIn(session, call);
    const message = environmentId === undefined ? 'Required' : 'Invalid UUID';
    throw invalidInput({ [environmentHeader]: [message] });
  }

  /**
   * Runs a change between two audit entries. The change is not made if the first entry cannot be
   * written.
   */
  async audited(
    { session, ...whose }: SignedIn,
    action: AuditedAction,
    {
      call,
      origin,
      work,
      detail = () => undefined,
    }: {
      readonly call: Call;
      readonly origin: Origin;
      readonly work: () => Promise<ApiAnswer>;
      /** Loads the changes after the work has ended. */
      readonly detail?: () => AuditDetail | undefined;
    },
  ): Promise<ApiAnswer> {
    const id = await this.begin(session, { ...action, origin }, call);
    const end = (status: number) => this.end(id, { status, detail: detail(), call, whose });
    try {
      const answer = await work();
      await end(answer.status);
      return answer;
    } catch (error) {
      await end(toHttpError(error).status);
      throw error;
    }
  }

  private ask(session: string, environmentId: string | undefined, call: Call) {
    return this.dependencies.operators.authenticateOperator(
      { sessionToken: session, environmentId },
      call as CallContext,
    );
  }

  private async begin(
    sessionToken: string,
    entry: AuditedAction & { readonly origin: Origin },
    call: Call,
  ): Promise<string> {
    const { action, path, environmentId, origin } = entry;
    const { requestId } = call;
    try {
      const begun = await this.dependencies.operators.beginAuditEntry(
        { sessionToken, action, path, environmentId, requestId, origin },
        call as CallContext,
      );
      return begun.id;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') throw error;
      this.dependencies.logger.warn({ err: error }, 'audit entry not created');
      throw new RequestError(503, 'unavailable', 'Service unavailable', { 'Retry-After': '1' });
    }
  }

  private async end(
    id: string,
    {
      status,
      detail,
      call,
      whose,
    }: {
      status: number;
      detail: AuditDetail | undefined;
      call: Call;
      whose: Pick<SignedIn, 'organizationId' | 'liveEnvironmentId'>;
    },
  ): Promise<void> {
    const { clock, logger, operators } = this.dependencies;
    const now = clock.now();
    const context: CallContext = {
      ...call,
      now,
      tenant: liveTenantOf(whose),
      // The caller may have disconnected or timed out.
      deadline: new Date(now.getTime() + endTimeoutMs),
      signal: AbortSignal.timeout(endTimeoutMs),
    };
    try {
      const { target, changes = [], environmentTime } = detail ?? {};
      await operators.endAuditEntry({ id, status, target, changes, environmentTime }, context);
    } catch (error) {
      logger.warn({ err: error }, 'audit entry not completed');
    }
  }
}

function toSignedIn(session: string, answer: AuthenticateOperatorResponse): SignedIn {
  const { organizationId, organizationName, liveEnvironmentId } = answer;
  const operator = present(answer.operator);
  const organization = { organizationId, organizationName, liveEnvironmentId };
  const signInRules = answer.signInRules ?? { requireSecondFactor: false, providerOnly: false };
  const isFactorMissing = answer.secondFactorMissing;
  return { session, operator, ...organization, signInRules, isFactorMissing };
}

/** Refuses a session that must set up a second factor first. */
export function requireSecondFactor({ isFactorMissing }: SignedIn): void {
  if (!isFactorMissing) return;
  const message = 'Your organization requires a second factor; set one up first';
  throw new RequestError(403, 'second_factor_missing', message);
}

/** Error for a missing session, the same as for an expired one. */
export function invalidSession(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_SESSION', 'Not signed in');
}
