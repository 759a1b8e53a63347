/** Who or what changed something. */
export interface AuditActor {
  readonly type: 'OPERATOR' | 'API_KEY' | 'SYSTEM';
  /** Of the operator or key; the name of the command for the system. */
  readonly id: string;
  /** Of the operator, as it was then. */
  readonly email: string | undefined;
}

/** What was changed. */
export interface AuditTarget {
  readonly type: string;
  readonly id: string;
}

/** One field that was changed. The values are JSON texts; undefined: not known or not shown. */
export interface AuditChange {
  readonly field: string;
  readonly fromJson?: string | undefined;
  readonly toJson?: string | undefined;
}

/** Something that was changed, or tried. */
export interface AuditEntry {
  readonly id: string;
  /** Real time at which it began. */
  readonly at: Date;
  readonly actor: AuditActor;
  /** Empty where it is not known. */
  readonly address: string;
  /** Empty where it is not known. */
  readonly userAgent: string;
  /** Method and route. */
  readonly action: string;
  /** The path as it was called, without its query. */
  readonly path: string;
  readonly target: AuditTarget | undefined;
  readonly changes: readonly AuditChange[];
  /** Where; undefined: it concerns the organisation. */
  readonly environmentId: string | undefined;
  readonly requestId: string;
  /** What was answered; undefined: not known. */
  readonly status: number | undefined;
}

/** What a list of entries is narrowed to. */
export interface AuditFilter {
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
}

/** A part of an export. */
export interface AuditRange {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** The last entry of the part before. */
  readonly after?: { readonly at: Date; readonly id: string } | undefined;
}
