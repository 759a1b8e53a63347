import type { Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import type { Clock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import type { CallContext } from '@billing/chassis/call-context';
import type { Origin } from '@billing/proto/billing/identity/v1/operator';
import { type Authentication, invalidApiKey } from './authentication';
import type { OperatorAccess, SignedIn } from './dashboard/operator-access';
import type { Call, CallerFacts, NoteCaller } from './exchange';
import { rateLimitHeaders, type RateLimit, tooManyRequests } from './rate-limit';
import type { RequestAuthor } from './request-log';

// A single subscriber holds a whole /64 of IPv6: eight of the sixteen bytes.
const networkBytes = 8;
const userAgentLengthMax = 500;
// About 150 bytes each.
const networksMax = 1_000;

/** Who got in. */
export interface Admitted {
  readonly tenant: CallContext['tenant'];
  /** Empty means all. */
  readonly scopes: readonly string[];
  /** Whom limits are of: a key, or an operator. */
  readonly callerId: string;
  readonly facts: CallerFacts;
  readonly author: RequestAuthor;
  /** Of an operator, who needs no key. */
  readonly signedIn?: SignedIn;
}

/** What an admission is made of; a limit that is absent does not apply. */
export interface AdmissionDependencies {
  readonly authentication: Authentication;
  readonly operatorAccess: OperatorAccess;
  readonly clock: Clock;
  readonly perKey?: RateLimit;
  /** Of batches of usage events, which count for nothing else. */
  readonly ingestPerKey?: RateLimit;
  /**
   * By address. It is asked before authentication and charged for refused keys alone, so that
   * guessing stops and nobody else notices.
   */
  readonly refusedKeys?: RateLimit;
}

/**
 * Decides who gets in: the address, then the key or the operator's session, then the rate of whose
 * it is.
 */
export class Admission {
  private readonly networks = new Networks();

  constructor(private readonly dependencies: AdmissionDependencies) {}

  /**
   * The caller of a request. The headers about its rate are on the answer, whatever becomes of the
   * request.
   */
  async admit(
    request: Request,
    response: Response,
    call: Call,
    {
      isIngest = false,
      note,
    }: { readonly isIngest?: boolean | undefined; readonly note?: NoteCaller } = {},
  ): Promise<Admitted> {
    const caller = await this.authenticate(request, call);
    // Before the rate: whoever is refused for it is known.
    note?.(caller.facts, caller.author);
    const { perKey, ingestPerKey, clock } = this.dependencies;
    const limit = isIngest ? ingestPerKey : perKey;
    if (limit === undefined) return caller;
    const allowance = limit.take(caller.callerId, clock.now());
    const headers = rateLimitHeaders(limit.policy, allowance);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (!allowance.isAllowed) throw tooManyRequests(allowance);
    return caller;
  }

  /** Ends the keys of an environment that was deleted, as far as this gateway serves them. */
  endKeysOf(environmentId: string): void {
    this.dependencies.authentication.forgetEnvironment(environmentId);
  }

  /**
   * The error with which a request ends: a key whose environment a service knows to be deleted
   * opens nothing any more.
   */
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

  /** A key counts alone, whatever cookies come with it. */
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

/** Where a request comes from, for limits and for people to read. */
export function originOfRequest(request: Pick<Request, 'ip' | 'header'>): Origin {
  const userAgent = (request.header('user-agent') ?? '').slice(0, userAgentLengthMax);
  return { network: networkOf(request.ip), address: addressOf(request.ip), userAgent };
}

function addressOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return '';
  return ipaddr.process(address).toString();
}

/** Addresses that one party holds count as one: an IPv4 address, or a /64 of IPv6. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return Buffer.from(parsed.toByteArray().slice(0, networkBytes)).toString('hex');
}

// A connection sends many requests, and to take its address apart costs more than to look it up.
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
