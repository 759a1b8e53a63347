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
import { callOf, localOrganization, noTenant } from './identity-call';

/** The link by which somebody becomes the dashboard's first operator; undefined once there is one. Kept nowhere: each start makes another. */
export async function ownerLink(
  identityAddress: string,
  gatewayUrl: string,
  security?: TransportSecurity,
): Promise<string | undefined> {
  const channel = { address: identityAddress, security, service: 'launcher' };
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    ...channel,
    withoutTenant: ['ensureOrganization'],
  });
  const operators = connectPeer<OperatorServiceServer>(OperatorServiceService, {
    ...channel,
    withoutTenant: ['inviteFirstOwner'],
  });
  try {
    const { organizationId } = await identity.ensureOrganization(
      { name: localOrganization },
      callOf(noTenant),
    );
    const { token } = await operators.inviteFirstOwner({ organizationId }, callOf(noTenant));
    return token === undefined ? undefined : `${gatewayUrl}/dashboard/invitation/${token}`;
  } finally {
    identity.close();
    operators.close();
  }
}
