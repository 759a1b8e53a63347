/** The author of a change. */
export interface AuditActor {
  readonly type: 'OPERATOR' | 'API_KEY' | 'SYSTEM';
  /** Id of the operator or key; the name of the command for the system. */
  readonly id: string;
  /** The operator's address at the time. */
  readonly email: string | undefined;
}

/** The changed resource. */
interface AuditTarget {
  readonly type: string;
  readonly id: string;
  /** Absent if it has none, or it is unknown or personal. */
  readonly name?: string | undefined;
  /** Currency of the amounts in the changes. */
  readonly currency?: string | undefined;
  /** Customer to whom it belongs. Absent: none, or unknown. */
  readonly customerId?: string | undefined;
}

/** One changed field. The values are JSON texts; undefined: not known or not shown. */
export interface AuditChange {
  readonly field: string;
  readonly fromJson?: string | undefined;
  readonly toJson?: string | undefined;
}

/** A change, or an attempted one. */
export interface AuditEntry {
  readonly id: string;
  /** Real time of the beginning. */
  readonly at: Date;
  readonly actor: AuditActor;
  /** Empty when unknown. */
  readonly address: string;
  /** Empty when unknown. */
  readonly userAgent: string;
  /** Method and route. */
  readonly action: string;
  /** The called path, without its query. */
  readonly path: string;
  readonly target: AuditTarget | undefined;
  readonly changes: readonly AuditChange[];
  /** The environment; undefined: the change concerns the organization. */
  readonly environmentId: string | undefined;
  readonly requestId: string;
  /** Status of the answer; undefined: unknown. */
  readonly status: number | undefined;
  /** Environment time; absent: unknown, or the change concerns the organization. */
  readonly environmentTime?: Date | undefined;
}

/** Filters of a list of entries. */
export interface AuditFilter {
  readonly actorId?: string | undefined;
  /** One of these was changed, or what belongs to one of these customers; empty: anything. */
  readonly targetIds?: readonly string[];
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** A part of an export. */
export interface AuditRange {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** The last entry of the previous part. */
  readonly after?: { readonly at: Date; readonly id: string } | undefined;
}
