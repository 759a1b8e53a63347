import type { Clock } from '@billing/chassis/clock';
import { readPage } from '@billing/chassis/page';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import type {
  AuditEntry as ProtoAuditEntry,
  OperatorServiceServer,
} from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import { insufficientPermissions } from './api-key';
import type { AuditEntry, AuditStore } from './audit-store';
import { leads } from './operator';
import type { SignIn } from './sign-in-service';

/** What the calls about what operators did work with. */
export interface AuditRpcOptions {
  readonly signIn: SignIn;
  readonly audit: AuditStore;
  readonly clock: Clock;
}

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  'beginAuditEntry' | 'endAuditEntry' | 'listAuditEntries'
>;

export function auditHandlers({ signIn, audit, clock }: AuditRpcOptions): Handlers {
  return {
    beginAuditEntry: async ({ sessionToken, ...entry }) => {
      const { state, tenant } = (await signIn.of(sessionToken)).operator;
      const at = clock.now();
      return { id: await audit.begin(tenant, state, { ...entry, at }) };
    },

    endAuditEntry: async ({ id, status }, { tenant }) => {
      await audit.end(tenant, id, status);
      return {};
    },

    listAuditEntries: async ({ sessionToken, ...request }) => {
      const { state, tenant } = (await signIn.of(sessionToken)).operator;
      if (!leads(state.role)) throw insufficientPermissions();
      const { data, total } = await audit.list(tenant, readPage(request));
      return { entries: data.map(toProtoAuditEntry), total };
    },
  };
}

function toProtoAuditEntry({ role, ...entry }: AuditEntry): ProtoAuditEntry {
  return { ...entry, role: operatorRoles.valueOf(role) };
}
