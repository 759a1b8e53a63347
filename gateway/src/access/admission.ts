import type { Request, Response } from 'express';
import type { Clock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import type { CallContext } from '@billing/chassis/call-context';
import { type Authentication, invalidApiKey } from './authentication';
import { networkOf } from '../http/client-address';
import type { OperatorAccess, SignedIn } from './operator-access';
import type { Call, CallerFacts, RecordCaller } from '../http/exchange';
import { rateLimitHeaders, type RateLimit, tooManyRequests } from '../http/rate-limit';
import type { RequestAuthor } from '../http/request-log';

// Each entry takes about 150 bytes.
const networksMax = 1_000;

/** An admitted caller. */
export interface Admitted {
  readonly tenant: CallContext['tenant'];
  /** Scopes of the caller; empty means all. */
  readonly scopes: readonly string[];
  /** Id of the key or operator, by which limits are counted. */
  readonly callerId: string;
  readonly facts: CallerFacts;
  readonly author: RequestAuthor;
  /** Session of an operator, who needs no key. */
  readonly signedIn?: SignedIn;
}

/** Dependencies of an admission. An absent limit does not apply. */
export interface AdmissionDependencies {
  readonly authentication: Authentication;
  readonly operatorAccess: OperatorAccess;
  readonly clock: Clock;
  readonly perKey?: RateLimit;
  /** Limit of usage event batches, which do not count towards other limits. */
  readonly ingestPerKey?: RateLimit;
  /**
   * Limit per address. Checked before authentication but charged only for refused keys, so that
   * guessing is stopped without an effect on other callers.
   */
  readonly refusedKeys?: RateLimit;
}

/**
 * Admits requests. Checks the address, then the key or the operator's session, then the rate of the
 * key's or session's owner.
 */
export class Admission {
  private readonly networks = new Networks();

  constructor(private readonly dependencies: AdmissionDependencies) {}

  /**
   * Admits a request and returns its caller. Sets the rate limit headers of the response in any
   * case.
   */
  async admit(
    request: Request,
    response: Response,
    call: Call,
    {
      isIngest = false,
      recordCaller,
    }: { readonly isIngest?: boolean | undefined; readonly recordCaller?: RecordCaller } = {},
  ): Promise<Admitted> {
    const caller = await this.authenticate(request, call);
    // Precedes the rate check, so that the caller of a throttled request is known.
    recordCaller?.(caller.facts, caller.author);
    const { perKey, ingestPerKey, clock } = this.dependencies;
    const limit = isIngest ? ingestPerKey : perKey;
    if (limit === undefined) return caller;
    const allowance = limit.take(caller.callerId, clock.now());
    const headers = rateLimitHeaders(limit.policy, allowance);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (!allowance.isAllowed) throw tooManyRequests(allowance);
    return caller;
  }

  /** Drops the cached keys of a deleted environment. */
  endKeysOf(environmentId: string): void {
    this.dependencies.authentication.forgetEnvironment(environmentId);
  }

  /** Maps the error of a request: a key of a deleted environment counts as invalid. */
  refusalOf(error: unknown, { tenant, signedIn }: Pick<Admitted, 'tenant' | 'signedIn'>): unknown {
    const isDeleted = error instanceof DomainError && error.reason === 'ENVIRONMENT_NOT_FOUND';
    if (!isDeleted || signedIn !== undefined) return error;
    this.endKeysOf(tenant.environmentId);
    return invalidApiKey();
  }

  private async authenticate(request: Request, call: Call): Promise<Admitted> {
    const { refusedKeys, clock } = this.dependencies;
    const network = this.networks.of(request.ip);
    const allowance = refusedKeys?.look(network, clock.now());
    if (allowance?.isAllowed === false) throw tooManyRequests(allowance);
    try {
      return await this.callerOf(request, call);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') {
        refusedKeys?.charge(network, clock.now());
      }
      throw error;
    }
  }

  /** A key takes precedence over cookies. */
  private async callerOf(request: Request, call: Call): Promise<Admitted> {
    const { authentication, operatorAccess } = this.dependencies;
    const authorization = request.header('authorization');
    const operator =
      authorization === undefined ? await operatorAccess.callerOf(request, call) : undefined;
    if (operator !== undefined) {
      const { id: operatorId, email } = operator.signedIn.operator;
      const { tenant } = operator;
      const { environmentId } = tenant;
      const facts = { tenant, operatorId };
      const caller = { $case: 'operatorEmail', value: email } as const;
      return { ...operator, callerId: operatorId, facts, author: { environmentId, caller } };
    }
    const { tenant, scopes, apiKeyId, shownKey } = await authentication.authenticate(
      authorization,
      call,
    );
    const { environmentId } = tenant;
    const facts = { tenant, apiKeyId };
    const author = { environmentId, caller: { $case: 'key', value: shownKey } as const };
    return { tenant, scopes, callerId: apiKeyId, facts, author };
  }
}

// Caches parsed addresses: a connection sends many requests, and parsing costs more than a lookup.
class Networks {
  private readonly known = new Map<string | undefined, string>();

  of(address: string | undefined): string {
    const known = this.known.get(address);
    if (known !== undefined) return known;
    if (this.known.size >= networksMax) this.known.clear();
    const network = networkOf(address);
    this.known.set(address, network);
    return network;
  }
}
