import { ownCall } from '@billing/chassis/own-call';
import { connectPeer } from '@billing/chassis/peer';
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
 * The link by which somebody becomes an organisation's first operator; undefined once there is one. Kept nowhere: each call makes
 * another, and the first that is used ends them all.
 */
export async function ownerLink(options: OwnerLinkOptions): Promise<string | undefined> {
  const { identityAddress: address, security, gatewayUrl, organization, service } = options;
  const channel = { address, security, service };
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    ...channel,
    withoutTenant: ['ensureOrganization'],
  });
  const operators = connectPeer<OperatorServiceServer>(OperatorServiceService, {
    ...channel,
    withoutTenant: ['inviteFirstOwner'],
  });
  try {
    const { organizationId } = await identity.ensureOrganization({ name: organization }, ownCall());
    const { token } = await operators.inviteFirstOwner({ organizationId }, ownCall());
    return token === undefined ? undefined : `${gatewayUrl}/dashboard/invitation/${token}`;
  } finally {
    identity.close();
    operators.close();
  }
}
