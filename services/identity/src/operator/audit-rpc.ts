import type { Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { readPage } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import type {
  AuditEntry as ProtoAuditEntry,
  ListAuditEntriesRequest,
  OperatorServiceServer,
} from '@billing/proto/billing/identity/v1/operator';
import { auditActorTypes } from '@billing/proto/values/identity';
import type { AuditEntry, AuditFilter } from '../audit/audit-entry';
import type { AuditStore } from '../audit/audit-store';
import { mayManageOperators, insufficientPermissions } from './operator';
import { sentOrigin } from './session';
import type { SignIn } from './sign-in';

const targetsMax = 200;

export interface AuditRpcDependencies {
  readonly signIn: SignIn;
  readonly audit: AuditStore;
  readonly clock: Clock;
}

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  'beginAuditEntry' | 'endAuditEntry' | 'listAuditEntries' | 'exportAuditEntries'
>;

export function auditHandlers({ signIn, audit, clock }: AuditRpcDependencies): Handlers {
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
    endAuditEntry: async ({ id, status, target, changes, environmentTime }, { tenant }) => {
      await audit.end(tenant, id, { status, target, changes, environmentTime });
      return {};
    },
    listAuditEntries: async ({ sessionToken, page, perPage, oldestFirst, ...request }) => {
      const tenant = await tenantOfLeader(sessionToken);
      const paged = readPage({ page, perPage, oldestFirst });
      const wanted = { ...paged, filter: fromProtoFilter(request) };
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

type RequestedFilter = Omit<
  ListAuditEntriesRequest,
  'sessionToken' | 'page' | 'perPage' | 'oldestFirst'
>;

function fromProtoFilter({ targetId, targetIds, ...filter }: RequestedFilter): AuditFilter {
  const wanted = [...targetIds, ...(targetId === undefined ? [] : [targetId])];
  if (wanted.length > targetsMax) {
    throw invalidInput({ targetIds: [`Must have at most ${String(targetsMax)} entries`] });
  }
  return { ...filter, targetIds: wanted };
}

function toProtoTarget({
  type,
  id,
  name,
  currency,
  customerId,
}: NonNullable<AuditEntry['target']>) {
  return { type, id, name, currency, customerId };
}

function toProtoAuditEntry({ actor, target, changes, ...entry }: AuditEntry): ProtoAuditEntry {
  const { type, id, email } = actor;
  return {
    ...entry,
    target: target && toProtoTarget(target),
    environmentTime: entry.environmentTime,
    actor: { type: auditActorTypes.valueOf(type), id, email },
    changes: changes.map(({ field, fromJson, toJson }) => ({ field, fromJson, toJson })),
  };
}
