import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import {
  type OperatorMailServiceServer,
  OperatorMailServiceService,
} from '@billing/proto/billing/notifier/v1/operator_mail';
import { operatorEmailKinds } from '@billing/proto/values/notifier';
import { operatorMailCallers } from '../peer/callers';
import { type OperatorEmailDependencies, sendOperatorEmail } from './send-operator-email';

/** Implements the calls about mails to operators. */
export function operatorMailRpc(dependencies: OperatorEmailDependencies) {
  const handlers: AsyncHandlers<OperatorMailServiceServer> = {
    getMailServer: () => Promise.resolve({ configured: dependencies.fromAddress !== undefined }),
    sendOperatorEmail: async ({ kind, ...request }, context) => ({
      created: await sendOperatorEmail(
        { ...request, kind: operatorEmailKinds.nameOf(kind) },
        context,
        dependencies,
      ),
    }),
  };
  return rpcService(OperatorMailServiceService, handlers, {
    withoutTenant: ['getMailServer'],
    callers: operatorMailCallers,
  });
}
