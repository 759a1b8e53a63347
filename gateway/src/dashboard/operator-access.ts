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
} from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import type { AuditDetail } from '../audit-detail';
import { isRead, tenantOf } from '../authentication';
import type { Call } from '../exchange';
import { RequestError, toHttpError } from '../http-error';
import { originOf, requireOwnOrigin } from '../pages/same-site';
import type { Peers } from '../peers';
import { type ApiAnswer, present } from '../route';
import { readOperatorSession } from './operator-cookie';
import { scopesOfRole } from './operator-permission';

/** Whoever is signed in, and by which session. */
export interface SignedIn {
  readonly session: string;
  readonly operator: Operator;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly liveEnvironmentId: string;
}

/** An operator at work in an environment. */
export interface OperatorAtWork {
  readonly signedIn: SignedIn;
  readonly tenant: Tenant;
  /** What their role may do there; empty means all. */
  readonly scopes: readonly string[];
}

/** Which environments of an organisation are asked for. */
export interface EnvironmentsQuery {
  readonly search?: string | undefined;
  /** Without the live environment. */
  readonly sandboxesOnly?: boolean | undefined;
  readonly page: number;
  readonly perPage: number;
}

/** What operators' access is made of. */
export interface OperatorAccessDependencies {
  readonly operators: Pick<
    Peers['operator'],
    'authenticateOperator' | 'listEnvironments' | 'beginAuditEntry' | 'endAuditEntry'
  >;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where browsers reach the gateway. */
  readonly siteUrl: string;
  /** The first segments of all routes, which scopes are named after. */
  readonly segments: readonly string[];
}

/** What somebody is about to change, for the audit log. */
export interface AuditedAction {
  /** Method and route, its parameters unfilled. */
  readonly action: string;
  readonly path: string;
  readonly environmentId?: string | undefined;
}

/** The header by which an operator says where they work. */
export const environmentHeader = 'Environment-Id';

// Whoever asked waits for it; they would rather have their answer than a complete log.
const endTimeoutMs = 2_000;

/** Who operators are, where they may work, and the log of what they change. Nothing is remembered: a role that is taken away is gone. */
export class OperatorAccess {
  constructor(private readonly dependencies: OperatorAccessDependencies) {}

  get siteUrl(): string {
    return this.dependencies.siteUrl;
  }

  /** The first segments of all routes, which scopes are named after. */
  get segments(): readonly string[] {
    return this.dependencies.segments;
  }

  /** The session that a request proves by its cookie; undefined: none. */
  sessionOf(request: Request): string | undefined {
    return readOperatorSession(request.header('cookie'), this.siteUrl);
  }

  /** Throws unauthenticated for a session that opens nothing. */
  async signedIn(session: string, call: Call): Promise<SignedIn> {
    return toSignedIn(session, await this.ask(session, undefined, call));
  }

  /** Whose session it is, at work in one of their organisation's environments. Throws not_found for any other. */
  async atWork(session: string, environmentId: string, call: Call): Promise<OperatorAtWork> {
    const answer = await this.ask(session, environmentId, call);
    const tenant = tenantOf(present(answer.environment));
    const signedIn = toSignedIn(session, answer);
    const { segments } = this.dependencies;
    const role = operatorRoles.nameOf(signedIn.operator.role);
    const scopes = callScopes(scopesOfRole(role, { isLive: tenant.live, segments }));
    return { signedIn, tenant, scopes };
  }

  /** One environment of the operator's organisation. Throws not_found for any other. */
  async environment(session: string, environmentId: string, call: Call): Promise<Environment> {
    return present((await this.ask(session, environmentId, call)).environment);
  }

  /** Where an operator may work: live first, then the newest; `search` is part of a name, or an id. */
  async environments(
    session: string,
    call: Call,
    { search = '', sandboxesOnly = false, page, perPage }: EnvironmentsQuery,
  ): Promise<ListEnvironmentsResponse> {
    const request = { sessionToken: session, search, page, perPage, sandboxesOnly };
    return this.dependencies.operators.listEnvironments(request, call as CallContext);
  }

  /** The operator who calls the public API; undefined where no cookie says that it is one. Reads too must come from our own pages. */
  async callerOf(request: Request, call: Call): Promise<OperatorAtWork | undefined> {
    const session = this.sessionOf(request);
    if (session === undefined) return undefined;
    const referrer = isRead(request.method) ? request.header('referer') : undefined;
    requireOwnOrigin(originOf(request), { referrer });
    return this.atWorkWhere(session, request, call);
  }

  /** Whose session it is, at work in the environment that the request names by its header. */
  async atWorkWhere(session: string, request: Request, call: Call): Promise<OperatorAtWork> {
    const environmentId = request.header(environmentHeader);
    if (environmentId !== undefined && isId(environmentId)) {
      return this.atWork(session, environmentId, call);
    }
    await this.signedIn(session, call);
    const message = environmentId === undefined ? 'Required' : 'Invalid UUID';
    throw invalidInput({ [environmentHeader]: [message] });
  }

  /** Does what changes something between two lines of the audit log; without the first one it is not done. */
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
      /** What was changed, asked once the work has ended. */
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
    const { organizationId, liveEnvironmentId: environmentId } = whose;
    const context: CallContext = {
      ...call,
      now,
      tenant: { organizationId, environmentId, live: true, manualClock: false },
      // Whoever asked may be gone, and their time over.
      deadline: new Date(now.getTime() + endTimeoutMs),
      signal: AbortSignal.timeout(endTimeoutMs),
    };
    try {
      const { target, changes = [] } = detail ?? {};
      await operators.endAuditEntry({ id, status, target, changes }, context);
    } catch (error) {
      logger.warn({ err: error }, 'audit entry not completed');
    }
  }
}

function toSignedIn(session: string, answer: AuthenticateOperatorResponse): SignedIn {
  const { organizationId, organizationName, liveEnvironmentId } = answer;
  const operator = present(answer.operator);
  return { session, operator, organizationId, organizationName, liveEnvironmentId };
}
