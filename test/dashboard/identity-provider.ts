import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'node-html-parser';
import { randomSecret } from '@billing/chassis/ids';

/** Deviations of a provider; absent for a correct one. */
export interface ProviderBehavior {
  readonly email?: string;
  readonly subject?: string;
  /** Override claims of the ID token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** True to sign the token with an unpublished key. */
  readonly isForged?: boolean;
  /** True to return the email address at the userinfo endpoint only. */
  readonly hasEmailInUserinfoOnly?: boolean;
  /** Returned in place of the sent state. */
  readonly state?: string;
  /** True if the user denies the sign-in. */
  readonly isDenied?: boolean;
  /** Paths that fail, or never respond. */
  readonly failing?: readonly string[];
  readonly silent?: readonly string[];
  /** True to show a link to the return address instead of a redirect. */
  readonly showsLinkOnly?: boolean;
}

interface Grant {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

const keyId = 'key-1';

/**
 * An organization's identity provider with OpenID Connect: discovery, single-use codes, PKCE,
 * signed tokens.
 */
export class ProviderServer {
  behavior: ProviderBehavior = {};
  readonly clientId = 'billing-dashboard';
  readonly clientSecret = randomSecret(24).toString('base64url');
  /** Every secret that it issued. */
  readonly secrets: string[] = [this.clientSecret];
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  private readonly others = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  private readonly grants = new Map<string, Grant>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ProviderServer> {
    const server = createServer({ keepAliveTimeout: 0 });
    const provider = new ProviderServer(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      provider.answer(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  /** A name that browsers treat as another site than the gateway. */
  get issuer(): string {
    return `http://localhost:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** The gateway's configuration for this provider. */
  get variables(): Record<string, string> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: this.clientId,
      OIDC_CLIENT_SECRET: this.clientSecret,
      OIDC_LABEL: 'Example <ID>',
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.issuer);
    const { failing = [], silent = [] } = this.behavior;
    if (silent.includes(pathname)) return;
    if (failing.includes(pathname)) {
      response.writeHead(502).end('Bad gateway');
      return;
    }
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/.well-known/openid-configuration') json(this.description());
    else if (pathname === '/jwks') json({ keys: [this.publicKey()] });
    else if (pathname === '/authorize') this.authorize(searchParams, response);
    else if (pathname === '/userinfo') json(this.person());
    else if (pathname === '/token') {
      const form = new URLSearchParams(await textOf(request));
      const tokens = this.redeem(form, request.headers.authorization ?? '');
      json(tokens ?? { error: 'invalid_grant' }, tokens === undefined ? 400 : 200);
    } else response.writeHead(404).end();
  }

  private description() {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
    };
  }

  private publicKey() {
    return {
      ...this.keys.publicKey.export({ format: 'jwk' }),
      kid: keyId,
      alg: 'RS256',
      use: 'sig',
    };
  }

  private authorize(asked: URLSearchParams, response: ServerResponse): void {
    const of = (name: string) => asked.get(name) ?? '';
    const isRight =
      of('client_id') === this.clientId &&
      of('response_type') === 'code' &&
      of('code_challenge_method') === 'S256' &&
      of('scope').split(' ').includes('openid');
    if (!isRight) throw new Error(`Not for this provider: ${asked.toString()}`);
    const code = randomSecret(16).toString('base64url');
    const redirectUri = of('redirect_uri');
    this.grants.set(code, { nonce: of('nonce'), challenge: of('code_challenge'), redirectUri });
    this.secrets.push(code);
    const back = new URL(redirectUri);
    if (this.behavior.isDenied === true) back.searchParams.set('error', 'access_denied');
    else back.searchParams.set('code', code);
    back.searchParams.set('state', this.behavior.state ?? of('state'));
    if (this.behavior.showsLinkOnly === true) {
      const href = back.href.replaceAll('&', '&amp;');
      const type = { 'Content-Type': 'text/html' };
      response.writeHead(200, type).end(`<main><a href="${href}">Go back</a></main>`);
    } else response.writeHead(303, { Location: back.href }).end();
  }

  private redeem(form: URLSearchParams, authorization: string): unknown {
    const code = form.get('code') ?? '';
    const grant = this.grants.get(code);
    // A code is valid once, for any caller.
    this.grants.delete(code);
    const verifier = form.get('code_verifier') ?? '';
    const client = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
    const [id = '', secret = ''] = client.split(':').map(decodeURIComponent);
    const isRight =
      grant !== undefined &&
      id === this.clientId &&
      secret === this.clientSecret &&
      form.get('redirect_uri') === grant.redirectUri &&
      createHash('sha256').update(verifier).digest('base64url') === grant.challenge;
    if (!isRight) return undefined;
    const accessToken = randomSecret(24).toString('base64url');
    const idToken = this.idToken(grant.nonce);
    this.secrets.push(accessToken, idToken, verifier);
    return { access_token: accessToken, token_type: 'Bearer', expires_in: 60, id_token: idToken };
  }

  private idToken(nonce: string): string {
    const { hasEmailInUserinfoOnly = false, claims, isForged = false } = this.behavior;
    const { sub, ...address } = this.person();
    const iat = Math.floor(Date.now() / 1_000);
    const own = { iss: this.issuer, aud: this.clientId, iat, exp: iat + 300, nonce, sub };
    const told = { ...own, ...(!hasEmailInUserinfoOnly && address), ...claims };
    const { privateKey } = isForged ? this.others : this.keys;
    return signed({ alg: 'RS256', kid: keyId, typ: 'JWT' }, told, privateKey);
  }

  private person() {
    const { email = 'owner@example.com', subject = `subject of ${email}` } = this.behavior;
    return { sub: subject, email, email_verified: true };
  }
}

function signed(header: object, claims: object, key: KeyObject): string {
  const parts = [header, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const text = parts.join('.');
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** The return address in the provider's page. */
export function addressOn(html: string): string {
  return parse(html).querySelector('main a')?.getAttribute('href') ?? '';
}
