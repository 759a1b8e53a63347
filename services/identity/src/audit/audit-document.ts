import type { AuditActor, AuditChange, AuditEntry } from './audit-entry';

/**
 * A stored entry. The fields of `Earlier` are in entries of earlier releases, which lack most
 * others.
 */
export interface AuditDocument extends Partial<Earlier> {
  readonly _id: string;
  /** The organization's live environment: all its entries are stored there. */
  readonly environmentId: string;
  readonly at: Date;
  readonly actorType?: AuditActor['type'];
  readonly actorId?: string;
  readonly actorEmail?: string | null;
  readonly address?: string;
  readonly userAgent?: string;
  readonly action: string;
  readonly path: string;
  readonly targetType?: string | null;
  readonly targetId?: string | null;
  readonly targetName?: string | null;
  readonly targetCurrency?: string | null;
  readonly targetCustomerId?: string | null;
  readonly changes?: readonly StoredChange[];
  readonly concerns: string | null;
  readonly requestId: string;
  readonly status: number | bigint | null;
  readonly environmentTime?: Date | null;
}

interface Earlier {
  readonly operatorId: string;
  readonly operatorEmail: string;
}

interface StoredChange {
  readonly field: string;
  readonly fromJson: string | null;
  readonly toJson: string | null;
}

export function toAuditDocument(live: string, entry: AuditEntry): AuditDocument {
  const { id: _id, at, actor, target, changes, environmentId = null, status = null } = entry;
  const { address, userAgent, action, path, requestId, environmentTime = null } = entry;
  return {
    _id,
    environmentId: live,
    at,
    actorType: actor.type,
    actorId: actor.id,
    actorEmail: actor.email ?? null,
    address,
    userAgent,
    action,
    path,
    ...toStoredTarget(target),
    changes: changes.map(toStoredChange),
    concerns: environmentId,
    requestId,
    status,
    environmentTime,
  };
}

export function toStoredTarget(target: AuditEntry['target']) {
  return {
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    targetName: target?.name ?? null,
    targetCurrency: target?.currency ?? null,
    targetCustomerId: target?.customerId ?? null,
  };
}

export function toStoredChange({ field, fromJson, toJson }: AuditChange): StoredChange {
  return { field, fromJson: fromJson ?? null, toJson: toJson ?? null };
}

export function fromAuditDocument(document: AuditDocument): AuditEntry {
  const { _id: id, at, action, path, requestId, concerns, status } = document;
  const { actorType, actorId, actorEmail, operatorId = '', operatorEmail } = document;
  const { address = '', userAgent = '', changes = [] } = document;
  return {
    id,
    at,
    actor: {
      type: actorType ?? 'OPERATOR',
      id: actorId ?? operatorId,
      email: actorEmail ?? operatorEmail,
    },
    address,
    userAgent,
    action,
    path,
    target: fromStoredTarget(document),
    changes: changes.map(({ field, fromJson, toJson }) => ({
      field,
      fromJson: fromJson ?? undefined,
      toJson: toJson ?? undefined,
    })),
    environmentId: concerns ?? undefined,
    requestId,
    status: status === null ? undefined : Number(status),
    environmentTime: document.environmentTime ?? undefined,
  };
}

function fromStoredTarget(document: AuditDocument): AuditEntry['target'] {
  const { targetType, targetId, targetName, targetCurrency, targetCustomerId } = document;
  if (typeof targetType !== 'string') return undefined;
  return {
    type: targetType,
    id: targetId ?? '',
    name: targetName ?? undefined,
    currency: targetCurrency ?? undefined,
    customerId: targetCustomerId ?? undefined,
  };
}
