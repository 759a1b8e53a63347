import { rpcService } from '@billing/chassis/rpc';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import {
  type OperatorServiceServer,
  OperatorServiceService,
} from '@billing/proto/billing/identity/v1/operator';
import { identityCallers, operatorCallers } from './callers';
import { accountHandlers, type AccountRpcOptions } from './operator/account-rpc';
import { apiKeyHandlers, type ApiKeyRpcOptions } from './api-key/api-key-rpc';
import { auditHandlers, type AuditRpcOptions } from './operator/audit-rpc';
import { clockHandlers, type ClockRpcOptions } from './clock/clock-rpc';
import type { EnsureOrganizationOptions } from './organization/ensure-organization';
import type { AcceptInvitationOptions } from './operator/accept-invitation';
import { invitationHandlers } from './operator/invitation-rpc';
import { operatorHandlers, type OperatorRpcOptions } from './operator/operator-rpc';
import { resetLinkHandlers } from './operator/reset-link-rpc';
import type { ResetPasswordOptions } from './operator/reset-password';
import { organizationHandlers } from './organization/organization-rpc';
import { restoreHandlers, type RestoreRpcOptions } from './restore/restore-rpc';
import { sandboxHandlers, type SandboxRpcOptions } from './sandbox/sandbox-rpc';
import { secondFactorHandlers, type SecondFactorRpcOptions } from './operator/second-factor-rpc';
import { sessionListHandlers, type SessionListRpcOptions } from './operator/session-list-rpc';
import { sessionHandlers, type SessionRpcOptions } from './operator/session-rpc';

/**
 * All calls about environments and keys. Three carry no tenant: one creates it, the others find it.
 */
export function identityRpc(
  options: ApiKeyRpcOptions &
    ClockRpcOptions &
    EnsureOrganizationOptions &
    RestoreRpcOptions &
    SandboxRpcOptions,
) {
  return rpcService<IdentityServiceServer>(
    IdentityServiceService,
    {
      ...organizationHandlers(options),
      ...sandboxHandlers(options),
      ...apiKeyHandlers(options),
      ...clockHandlers(options),
      ...restoreHandlers(options),
    },
    {
      withoutTenant: ['ensureOrganization', 'authenticate', 'findEnvironment'],
      secrets: ['key'],
      // Every request of every organization needs the first; the second waits for minutes and has a
      // limit of its own.
      unlimited: ['authenticate', 'advanceClock', 'stopClockAdvance'],
      joinable: ['advanceClock'],
      freesStorage: ['deleteSandbox'],
      callers: identityCallers,
    },
  );
}

/**
 * All calls about operators. All but one carry no tenant: a session, an invitation or credentials
 * determine the organization.
 */
export function operatorRpc(
  options: AcceptInvitationOptions &
    AccountRpcOptions &
    AuditRpcOptions &
    OperatorRpcOptions &
    ResetPasswordOptions &
    SecondFactorRpcOptions &
    SessionListRpcOptions &
    SessionRpcOptions,
) {
  const withoutTenant = {
    ...sessionHandlers(options),
    ...accountHandlers(options),
    ...secondFactorHandlers(options),
    ...sessionListHandlers(options),
    ...invitationHandlers(options),
    ...operatorHandlers(options),
    ...resetLinkHandlers(options),
  };
  return rpcService<OperatorServiceServer>(
    OperatorServiceService,
    { ...withoutTenant, ...auditHandlers(options) },
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
