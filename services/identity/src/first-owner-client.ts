import { ownCall } from '@billing/chassis/own-call';
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

/** Whose first owner is invited, and where. */
export interface OwnerLinkOptions {
  /** What a client dials to reach identity. */
  readonly identityAddress: string;
  readonly security?: TransportSecurity | undefined;
  /** The gateway as people reach it. */
  readonly gatewayUrl: string;
  /** The organisation's name; it is made if there is none of that name. */
  readonly organization: string;
  /** Who asks, for the trace. */
  readonly service: string;
}

/**
 * The link by which the first operator of an organisation joins; undefined once there is one. Kept nowhere: each call makes another, and
 * the first that is used ends them all.
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

/** The link by which an active owner sets a new password. Throws not_found for an e-mail address that is not an owner's. */
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
