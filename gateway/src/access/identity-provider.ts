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
import { RequestError } from '../http/error';
import type { StartedSignIn } from './started-sign-in';

/** Configuration of the organization's identity provider (OpenID Connect). */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Name shown to people. */
  readonly label: string;
}

/** Dependencies of the identity provider client. */
export interface ProviderDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Timeout of each request to the provider. */
  readonly timeoutMs?: number;
}

/** A person authenticated by the provider. */
export interface AuthenticatedPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
}

type Proof = Pick<StartedSignIn, 'state' | 'nonce' | 'codeVerifier'>;

const defaultTimeoutMs = 4_000;
/** Deadline of a step with all of its requests: metadata, token, keys, user info. */
export const providerDeadlineMs = 4 * defaultTimeoutMs + 4_000;
// Providers rarely change their endpoints. An unknown key triggers a reload of the keys.
const rememberedMs = 3_600_000;
const toleranceSeconds = 30;

// Errors of the provider or the network, as opposed to errors of the browser's request.
const outages = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
]);

/** Client of the one trusted identity provider. */
export class IdentityProvider {
  private known: { readonly found: Promise<Configuration>; readonly until: Date } | undefined;

  constructor(
    readonly settings: ProviderSettings,
    private readonly dependencies: ProviderDependencies,
  ) {}

  /** URL at the provider for the sign-in of a browser. */
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

  /**
   * Authenticates the person by the callback URL. Throws unless the provider has verified the
   * email address.
   */
  async authenticate(returned: URL, proof: Proof): Promise<AuthenticatedPerson> {
    const configuration = await this.configuration();
    const { issuer, subject, claims } = await this.asking(() =>
      claimsOf(configuration, returned, proof),
    );
    if (claims.email_verified !== true || typeof claims.email !== 'string') {
      throw new RequestError(403, 'email_not_verified', 'The email address is not verified');
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
    // The configuration allows HTTP for loopback addresses only.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated to discourage its use
    if (issuer.startsWith('http:')) execute.push(allowInsecureRequests);
    try {
      const configuration = await discovery(
        new URL(issuer),
        clientId,
        { [clockTolerance]: toleranceSeconds },
        secretAuthentication(clientSecret),
        { execute, timeout: timeoutMs / 1_000 },
      );
      // Multi-tenant metadata has one issuer per tenant. Accepting it would trust every tenant.
      const described = configuration.serverMetadata().issuer;
      if (new URL(described).href !== new URL(issuer).href)
        throw new ClientError('Unexpected issuer');
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
      throw new RequestError(401, 'sign_in_refused', 'The identity provider refused the sign-in');
    }
  }

  private outage(error: unknown): RequestError {
    this.dependencies.logger.error(factsOf(error), 'identity provider unreachable');
    const message = 'The identity provider is not reachable';
    return new RequestError(503, 'provider_unavailable', message, { 'Retry-After': '10' });
  }
}

/**
 * Sends the secret in the body if the provider supports it, otherwise in the header, which is
 * mandatory.
 */
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
  // Some providers return the email address only from the user info endpoint.
  if (claims.email !== undefined || hasMore === undefined) return { issuer, subject, claims };
  const userInfo = await fetchUserInfo(configuration, tokens.access_token, subject);
  return { issuer, subject, claims: userInfo };
}

function isOutage(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return false;
  // An unknown, used or expired code is an error of the browser. Other refusals concern our
  // configuration.
  if (error instanceof ResponseBodyError) return error.error !== 'invalid_grant';
  if (error instanceof ClientError) return outages.has(error.code ?? '');
  return true;
}

/** Facts for the log, without the claims and responses that such errors carry. */
function factsOf(error: unknown): Record<string, unknown> {
  const { code, error: reason, message, cause } = error as Error & Record<string, unknown>;
  const by = cause instanceof Error ? cause.message : undefined;
  return { code: code ?? reason, reason: message, cause: by };
}
