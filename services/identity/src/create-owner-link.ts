import { ownCall } from '@billing/chassis/call-context';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { TransportSecurity } from '@billing/chassis/transport-security';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import {
  type OperatorServiceServer,
  OperatorServiceService,
} from '@billing/proto/billing/identity/v1/operator';

/** The organization of the owner, and the addresses of the system. */
export interface OwnerLinkOptions {
  /** Address of identity. */
  readonly identityAddress: string;
  readonly security?: TransportSecurity | undefined;
  /** Public URL of the gateway. */
  readonly gatewayUrl: string;
  /** The organization's name; the organization is created if it does not exist. */
  readonly organization: string;
  /** Name of the calling program, for the trace. */
  readonly service: string;
}

/**
 * Creates a link by which the first operator of an organization joins; undefined if it has an
 * operator. Each call creates another link. The first one used invalidates all others.
 */
export async function ownerLink(options: OwnerLinkOptions): Promise<string | undefined> {
  return withIdentity(options, async ({ identity, operators }) => {
    const { organizationId } = await identity.ensureOrganization(
      { name: options.organization },
      ownCall(),
    );
    const { token } = await operators.inviteFirstOwner({ organizationId }, ownCall());
    return token === undefined ? undefined : `${options.gatewayUrl}/dashboard/invitation#${token}`;
  });
}

/**
 * Creates the link by which an active owner sets a new password. Throws not_found for an email
 * address that is not an owner's.
 */
export async function ownerResetLink(options: OwnerLinkOptions, email: string): Promise<string> {
  return withIdentity(options, async ({ identity, operators }) => {
    const { organizationId } = await identity.ensureOrganization(
      { name: options.organization },
      ownCall(),
    );
    const { token } = await operators.createOwnerResetLink({ organizationId, email }, ownCall());
    return `${options.gatewayUrl}/dashboard/reset#${token}`;
  });
}

/** The link in words: the person who prints it must know what its use does. */
export function resetText(link: string): string {
  return `${link}\nSetting the password by this link also removes the second factor of the owner.`;
}

interface IdentityPeers {
  readonly identity: Peer<IdentityServiceServer>;
  readonly operators: Peer<OperatorServiceServer>;
}

async function withIdentity<T>(
  { identityAddress: address, security, service }: OwnerLinkOptions,
  work: (peers: IdentityPeers) => Promise<T>,
): Promise<T> {
  const channel = { address, security, service };
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    ...channel,
    withoutTenant: ['ensureOrganization'],
  });
  const operators = connectPeer<OperatorServiceServer>(OperatorServiceService, {
    ...channel,
    withoutTenant: ['inviteFirstOwner', 'createOwnerResetLink'],
  });
  try {
    return await work({ identity, operators });
  } finally {
    identity.close();
    operators.close();
  }
}
