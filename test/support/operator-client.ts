import { newId } from '@billing/chassis/ids';
import { ownerLink } from '@billing/identity/create-owner-link';
import { type Answer, answerOf } from './api-client';
import { repeatRefused } from './repeat-refused';
import type { TestSystem } from './shared-system';

export const password = 'correct horse battery staple';
export type RoleName = 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'VIEWER';

/** An email address that no other file uses: addresses of operators are unique in a system. */
export function newAddress(): string {
  return `${newId()}@example.com`;
}

type ReachedSystem = Pick<TestSystem, 'addresses' | 'gatewayUrl' | 'organization'>;

/** The sign-in link for the first operator of the tests' organization. */
export async function firstOwnerLink({
  addresses,
  gatewayUrl,
  organization,
}: ReachedSystem): Promise<string> {
  const link = await ownerLink({
    identityAddress: addresses.identity,
    gatewayUrl,
    organization,
    service: 'test',
  });
  if (link === undefined) throw new Error('The organization has operators already');
  return link;
}

/**
 * A script on a page of the dashboard: sends the session cookie, and the headers of a same-origin
 * request.
 */
export class OperatorClient {
  cookie: string | undefined;
  /** The cookie as it was last set, with its attributes. */
  lastCookie: string | undefined;

  constructor(
    readonly gatewayUrl: string,
    /** The environment of requests to the public API. */
    readonly environmentId?: string,
  ) {}

  /** Signs in the first owner; a shared system needs a new address. */
  static async owner(system: ReachedSystem, email = 'owner@example.com'): Promise<OperatorClient> {
    const link = await firstOwnerLink(system);
    const client = new OperatorClient(system.gatewayUrl);
    await client.accept(link, email);
    return client;
  }

  /** Invites and signs in a new operator with a role. */
  async colleague(role: RoleName): Promise<OperatorClient> {
    const email = `${role.toLowerCase()}-${newAddress()}`;
    const { body } = await this.api('POST', '/operators', { email, role });
    const client = new OperatorClient(this.gatewayUrl);
    await client.accept(body.link as string, email);
    return client;
  }

  /** The same session for an environment. */
  in(environmentId: string): OperatorClient {
    const client = new OperatorClient(this.gatewayUrl, environmentId);
    client.cookie = this.cookie;
    return client;
  }

  async accept(link: string, email: string): Promise<Answer> {
    const token = link.split('#').at(-1) ?? '';
    const answer = await this.api('POST', '/invitations/accept', {
      token,
      email,
      name: email,
      password,
    });
    if (answer.status !== 200) throw new Error(`Not accepted: ${JSON.stringify(answer.body)}`);
    return answer;
  }

  /** Sends a request to the operators' own API. */
  api(method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    return this.send(method, `/dashboard/api${path}`, { body, headers });
  }

  /** Sends a request to the public API. */
  v1(method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    return this.send(method, `/v1${path}`, { body, headers });
  }

  send(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string | undefined> } = {},
  ): Promise<Answer> {
    return repeatRefused(() => this.sendOnce(method, path, options));
  }

  private async sendOnce(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string | undefined> },
  ): Promise<Answer> {
    const all: Record<string, string | undefined> = {
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': method === 'GET' ? undefined : 'application/json',
      Cookie: this.cookie,
      'Environment-Id': this.environmentId,
      ...headers,
    };
    const sent = Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined);
    const response = await fetch(`${this.gatewayUrl}${path}`, {
      method,
      headers: Object.fromEntries(sent),
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      redirect: 'manual',
    });
    this.keep(response.headers.getSetCookie());
    return answerOf(response);
  }

  private keep([set]: readonly string[]): void {
    if (set === undefined) return;
    this.lastCookie = set;
    this.cookie = /max-age=0/i.test(set) ? undefined : set.split(';')[0];
  }
}
