import { rpcService } from '@billing/chassis/rpc';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import {
  type OperatorServiceServer,
  OperatorServiceService,
} from '@billing/proto/billing/identity/v1/operator';
import { identityCallers, operatorCallers } from './peer/callers';
import { accountHandlers, type AccountRpcDependencies } from './operator/account-rpc';
import { apiKeyHandlers, type ApiKeyRpcDependencies } from './api-key/api-key-rpc';
import { auditHandlers, type AuditRpcDependencies } from './operator/audit-rpc';
import { clockHandlers, type ClockRpcDependencies } from './clock/clock-rpc';
import type { EnsureOrganizationDependencies } from './organization/ensure-organization';
import type { AcceptInvitationDependencies } from './operator/accept-invitation';
import { invitationHandlers } from './operator/invitation-rpc';
import { operatorHandlers, type OperatorRpcDependencies } from './operator/operator-rpc';
import { resetLinkHandlers } from './operator/reset-link-rpc';
import type { ResetPasswordDependencies } from './operator/reset-password';
import { organizationHandlers } from './organization/organization-rpc';
import { restoreHandlers, type RestoreRpcDependencies } from './restore/restore-rpc';
import { sandboxHandlers, type SandboxRpcDependencies } from './sandbox/sandbox-rpc';
import {
  secondFactorHandlers,
  type SecondFactorRpcDependencies,
} from './operator/second-factor-rpc';
import { sessionListHandlers, type SessionListRpcDependencies } from './operator/session-list-rpc';
import { sessionHandlers, type SessionRpcDependencies } from './operator/session-rpc';

/**
 * All calls about environments and keys. Four carry no tenant: one creates it, two find it, one is
 * about the installation.
 */
export function identityRpc(
  dependencies: ApiKeyRpcDependencies &
    ClockRpcDependencies &
    EnsureOrganizationDependencies &
    RestoreRpcDependencies &
    SandboxRpcDependencies,
) {
  return rpcService<IdentityServiceServer>(
    IdentityServiceService,
    {
      ...organizationHandlers(dependencies),
      ...sandboxHandlers(dependencies),
      ...apiKeyHandlers(dependencies),
      ...clockHandlers(dependencies),
      ...restoreHandlers(dependencies),
    },
    {
      withoutTenant: ['ensureOrganization', 'authenticate', 'findEnvironment', 'getRecovery'],
      secrets: ['key'],
      // Every request of every organization needs the first; the second waits for minutes and has a
      // limit of its own.
      unlimited: ['authenticate', 'advanceClock', 'stopClockAdvance'],
      joinable: ['advanceClock'],
      freesStorage: ['deleteSandbox'],
      // Of the System page.
      whileRecovering: ['getRecovery'],
      callers: identityCallers,
    },
  );
}

/**
 * All calls about operators. All but one carry no tenant: a session, an invitation or credentials
 * determine the organization.
 */
export function operatorRpc(
  dependencies: AcceptInvitationDependencies &
    AccountRpcDependencies &
    AuditRpcDependencies &
    OperatorRpcDependencies &
    ResetPasswordDependencies &
    SecondFactorRpcDependencies &
    SessionListRpcDependencies &
    SessionRpcDependencies,
) {
  const withoutTenant = {
    ...sessionHandlers(dependencies),
    ...accountHandlers(dependencies),
    ...secondFactorHandlers(dependencies),
    ...sessionListHandlers(dependencies),
    ...invitationHandlers(dependencies),
    ...operatorHandlers(dependencies),
    ...resetLinkHandlers(dependencies),
  };
  return rpcService<OperatorServiceServer>(
    OperatorServiceService,
    { ...withoutTenant, ...auditHandlers(dependencies) },
    {
      withoutTenant: [
        ...(Object.keys(withoutTenant) as (keyof typeof withoutTenant)[]),
        'beginAuditEntry',
        'listAuditEntries',
        'exportAuditEntries',
      ],
      // Every request of an operator needs them.
      unlimited: ['authenticateOperator', 'beginAuditEntry', 'endAuditEntry'],
      // Sign-in, with the factor that it may need, and the System page.
      whileRecovering: [
        'logIn',
        'logInByProvider',
        'logOut',
        'authenticateOperator',
        'beginSecondFactor',
        'confirmSecondFactor',
        'listEnvironments',
        'beginAuditEntry',
        'endAuditEntry',
      ],
      callers: operatorCallers,
    },
  );
}
