import { rpcService } from '@billing/chassis/rpc';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { apiKeyHandlers, type ApiKeyRpcOptions } from './api-key-rpc';
import { clockHandlers, type ClockRpcOptions } from './clock-rpc';
import { environmentHandlers, type EnvironmentRpcOptions } from './environment-rpc';

/** All calls of the service. Two carry no tenant: one makes it, the other finds it. */
export function identityRpc(options: ApiKeyRpcOptions & ClockRpcOptions & EnvironmentRpcOptions) {
  return rpcService<IdentityServiceServer>(
    IdentityServiceService,
    {
      ...environmentHandlers(options),
      ...apiKeyHandlers(options),
      ...clockHandlers(options),
    },
    { withoutTenant: ['ensureOrganization', 'authenticate'], secrets: ['key'] },
  );
}
