import type { Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { readPage } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import type {
  AuditEntry as ProtoAuditEntry,
  OperatorServiceServer,
} from '@billing/proto/billing/identity/v1/operator';
import { auditActorTypes } from '@billing/proto/values/identity';
import type { AuditEntry } from '../audit/audit-entry';
import type { AuditStore } from '../audit/audit-store';
import { mayManageOperators, insufficientPermissions } from './operator';
import { sentOrigin } from './session';
import type { SignIn } from './sign-in';

export interface AuditRpcOptions {
  readonly signIn: SignIn;
  readonly audit: AuditStore;
  readonly clock: Clock;
}

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  'beginAuditEntry' | 'endAuditEntry' | 'listAuditEntries' | 'exportAuditEntries'
>;

export function auditHandlers({ signIn, audit, clock }: AuditRpcOptions): Handlers {
  const tenantOfLeader = async (sessionToken: string): Promise<Tenant> => {
    const { state, tenant } = (await signIn.authenticate(sessionToken)).operator;
    if (!mayManageOperators(state.role)) throw insufficientPermissions();
    return tenant;
  };
  return {
    beginAuditEntry: async ({ sessionToken, origin, environmentId, ...entry }) => {
      const { state, tenant } = (await signIn.authenticate(sessionToken)).operator;
      const actor = { type: 'OPERATOR', id: state.id, email: state.email } as const;
      const { address, userAgent } = sentOrigin(origin);
      const begun = { ...entry, environmentId, actor, address, userAgent, at: clock.now() };
      return { id: await audit.begin(tenant, begun) };
    },
    endAuditEntry: async ({ id, status, target, changes }, { tenant }) => {
      await audit.end(tenant, id, { status, target, changes });
      return {};
    },
    listAuditEntries: async ({ sessionToken, actorId, targetId, ...request }) => {
      const tenant = await tenantOfLeader(sessionToken);
      const wanted = { ...readPage(request), filter: { actorId, targetId } };
      const { data, ...extent } = await audit.list(tenant, wanted);
      return { entries: data.map(toProtoAuditEntry), ...extent };
    },
    exportAuditEntries: async ({ sessionToken, since, until, after }) => {
      const tenant = await tenantOfLeader(sessionToken);
      const cursor = after?.at === undefined ? undefined : { at: after.at, id: after.id };
      const entries = await audit.export(tenant, { since, until, after: cursor });
      return { entries: entries.map(toProtoAuditEntry) };
    },
  };
}

function toProtoAuditEntry({ actor, changes, ...entry }: AuditEntry): ProtoAuditEntry {
  const { type, id, email } = actor;
  return {
    ...entry,
    actor: { type: auditActorTypes.valueOf(type), id, email },
    changes: changes.map(({ field, fromJson, toJson }) => ({ field, fromJson, toJson })),
  };
}
