import { type Clock, systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import { dropTestDatabase, dropTestStream, testContext } from '@billing/chassis/testing';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import {
  type OperatorServiceServer,
  OperatorServiceService,
  type Role,
} from '@billing/proto/billing/identity/v1/operator';
import { start } from '../service';
import { identityTestConfiguration } from './configuration';

const callDeadlineMs = 120_000;

export const password = 'correct horse battery';
export const context = () => testContext();
export const aNetwork = () => `test-${newId()}`;
export const originAt = (network: string) => ({ network, address: '192.0.2.1', userAgent: 'Test' });
export const anEmail = () => `${newId()}@example.com`;

/** Expects an error with that reason. */
export function reason(name: string): Error {
  return expect.objectContaining({ reason: name }) as Error;
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A field of the response is absent');
  return value;
}

/** An identity service without its peers, and calls of operators to it. */
export class OperatorTests {
  readonly configuration = identityTestConfiguration();
  identity!: Peer<IdentityServiceServer>;
  peer!: Peer<OperatorServiceServer>;
  private service!: RunningService;
  protected clock: Clock = systemClock;

  async start(clock: Clock): Promise<void> {
    this.clock = clock;
    this.service = await start(this.configuration, { clock });
    const { address } = this.service;
    this.identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
      address,
      service: 'test',
      withoutTenant: ['ensureOrganization'],
    });
    const calls = Object.keys(OperatorServiceService) as (keyof typeof OperatorServiceService)[];
    this.peer = connectPeer<OperatorServiceServer>(OperatorServiceService, {
      address,
      service: 'test',
      withoutTenant: calls.filter((name) => name !== 'endAuditEntry'),
    });
  }

  get address(): string {
    return this.service.address;
  }

  async stop(): Promise<void> {
    this.identity.close();
    this.peer.close();
    await this.service.stop();
    await dropTestDatabase(this.configuration);
    await dropTestStream(this.configuration);
  }

  async accept(token: string, email = anEmail()) {
    const typed = { token, email, name: 'Ada', password, origin: undefined };
    const request = { ...typed, providerConfigured: false };
    const { operator, session } = await this.peer.acceptInvitation(request, context());
    return {
      email,
      id: present(operator).id,
      token: present(session).token,
      operator: present(operator),
    };
  }

  async anOwner() {
    const name = `Org ${newId()}`;
    const organization = await this.identity.ensureOrganization({ name }, context());
    const { organizationId } = organization;
    const { token } = await this.peer.inviteFirstOwner({ organizationId }, context());
    return { organization, name, owner: await this.accept(present(token)) };
  }

  async aColleague(of: { token: string }, role: Role) {
    const email = anEmail();
    const request = { sessionToken: of.token, email, role };
    const { token } = await this.peer.inviteOperator(request, context());
    return this.accept(token, email);
  }

  logIn(
    email: string,
    typed = password,
    network = aNetwork(),
    { code, providerConfigured = false }: { code?: string; providerConfigured?: boolean } = {},
  ) {
    // A test may have advanced the service's clock, which then judges the deadline.
    const advancedMs = this.clock.now().getTime() - systemClock.now().getTime();
    const call = testContext({ deadlineMs: advancedMs + callDeadlineMs });
    const sent = { email, password: typed, code, providerConfigured };
    return this.peer.logIn({ ...sent, origin: originAt(network) }, call);
  }

  authenticate(sessionToken: string) {
    return this.peer.authenticateOperator({ sessionToken, environmentId: undefined }, context());
  }
}
