import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
} from 'openid-client';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { RequestError } from '../http-error';
import type { BegunSignIn } from './begun-sign-in';

/** How an organisation's identity provider (OpenID Connect) is reached, and what the gateway is to it. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What people call it. */
  readonly label: string;
}

/** What identity providers are worked with by. */
export interface ProviderDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of each request to the provider. */
  readonly timeoutMs?: number;
}

/** Somebody of whom the provider has made sure. */
export interface VouchedFor {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
}

type Proof = Pick<BegunSignIn, 'state' | 'nonce' | 'codeVerifier'>;

const defaultTimeoutMs = 4_000;
/** Time for every request that one step may make: description, token, keys, address. */
export const providerDeadlineMs = 4 * defaultTimeoutMs + 4_000;
// Providers move their addresses rarely; their keys are asked for again as soon as one is unknown.
const rememberedMs = 3_600_000;
const toleranceSeconds = 30;

// What is wrong with the provider, or the way to it, and not with what the browser brought.
const outages = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
]);

/** The one identity provider whose word counts. */
export class IdentityProvider {
  private known: { readonly found: Promise<Configuration>; readonly until: Date } | undefined;

  constructor(
    readonly settings: ProviderSettings,
    private readonly dependencies: ProviderDependencies,
  ) {}

  /** Where a browser is sent to sign in. */
  async address({ state, nonce, codeVerifier }: Proof, callbackUrl: string): Promise<string> {
    const configuration = await this.configuration();
    const challenge = await calculatePKCECodeChallenge(codeVerifier);
    return buildAuthorizationUrl(configuration, {
      redirect_uri: callbackUrl,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).href;
  }

  /** Who came back, by the address at which they did. Throws unless the provider has made sure of their e-mail address. */
  async vouchedFor(returned: URL, proof: Proof): Promise<VouchedFor> {
    const configuration = await this.configuration();
    const { issuer, subject, claims } = await this.asking(() =>
      claimsOf(configuration, returned, proof),
    );
    if (claims.email_verified !== true || typeof claims.email !== 'string') {
      throw new RequestError(403, 'email_not_verified', 'The e-mail address is not verified');
    }
    return { issuer, subject, email: claims.email };
  }

  private async configuration(): Promise<Configuration> {
    const now = this.dependencies.clock.now();
    if (this.known === undefined || now >= this.known.until) {
      const known = { found: this.discover(), until: new Date(now.getTime() + rememberedMs) };
      this.known = known;
      known.found.catch(() => {
        if (this.known === known) this.known = undefined;
      });
    }
    return this.known.found;
  }

  private async discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const { timeoutMs = defaultTimeoutMs } = this.dependencies;
    const execute = [enableNonRepudiationChecks];
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- on a machine's own loopback; the configuration allows it nowhere else
    if (issuer.startsWith('http:')) execute.push(allowInsecureRequests);
    try {
      const configuration = await discovery(
        new URL(issuer),
        clientId,
        { [clockTolerance]: toleranceSeconds },
        secretAuthentication(clientSecret),
        { execute, timeout: timeoutMs / 1_000 },
      );
      // Some describe themselves for many organisations at once, each with an issuer of its own: any of those could vouch then.
      const described = configuration.serverMetadata().issuer;
      if (new URL(described).href !== new URL(issuer).href) throw new ClientError('Other issuer');
      return configuration;
    } catch (error) {
      throw this.outage(error);
    }
  }

  private async asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isOutage(error)) throw this.outage(error);
      this.dependencies.logger.warn(factsOf(error), 'provider sign-in refused');
      throw new RequestError(401, 'sign_in_refused', 'The identity provider did not let you in');
    }
  }

  private outage(error: unknown): RequestError {
    this.dependencies.logger.error(factsOf(error), 'identity provider unreachable');
    const message = 'The identity provider cannot be reached';
    return new RequestError(503, 'provider_unavailable', message, { 'Retry-After': '10' });
  }
}

/** The secret goes into the body where the provider says that it reads it there, else into a header, as it must be able to. */
function secretAuthentication(clientSecret: string): ClientAuth {
  const inBody = ClientSecretPost(clientSecret);
  const inHeader = ClientSecretBasic(clientSecret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    const authenticate = methods.includes('client_secret_post') ? inBody : inHeader;
    authenticate(server, client, body, headers);
  };
}

async function claimsOf(
  configuration: Configuration,
  returned: URL,
  { state, nonce, codeVerifier }: Proof,
) {
  const tokens = await authorizationCodeGrant(configuration, returned, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new ClientError('No ID token');
  const { iss: issuer, sub: subject } = claims;
  const { userinfo_endpoint: hasMore } = configuration.serverMetadata();
  // Providers may tell the address there alone.
  if (claims.email !== undefined || hasMore === undefined) return { issuer, subject, claims };
  const told = await fetchUserInfo(configuration, tokens.access_token, subject);
  return { issuer, subject, claims: told };
}

function isOutage(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return false;
  // A code that is unknown, used or over is the browser's; all else that is refused there is between the provider and us.
  if (error instanceof ResponseBodyError) return error.error !== 'invalid_grant';
  if (error instanceof ClientError) return outages.has(error.code ?? '');
  return true;
}

/** For the log; never the claims and answers that such errors carry along. */
function factsOf(error: unknown): Record<string, unknown> {
  const { code, error: reason, message, cause } = error as Error & Record<string, unknown>;
  const by = cause instanceof Error ? cause.message : undefined;
  return { code: code ?? reason, reason: message, cause: by };
}
