import type { toJsonApiKey } from '@billing/proto/json/api-key';
import type { toJsonSandbox } from '@billing/proto/json/sandbox';
import type { toJsonChoices } from '@billing/gateway/operator/choice-routes';
import type {
  toJsonAuditEntry,
  toJsonEnvironment,
  toJsonOperator,
  toJsonOrganization,
  toJsonSession,
} from '@billing/gateway/operator/operator-json';

// Types come from the functions that create the JSON; this file only names them. Resources of one
// page are named in that page's folder.

export type ApiKey = ReturnType<typeof toJsonApiKey>;
export type AuditEntry = ReturnType<typeof toJsonAuditEntry>;
/** Options that forms offer. */
export type Choices = ReturnType<typeof toJsonChoices>;
export type Environment = ReturnType<typeof toJsonEnvironment>;
export type Operator = ReturnType<typeof toJsonOperator>;
type Organization = ReturnType<typeof toJsonOrganization>;
export type OpenSession = ReturnType<typeof toJsonSession>;
export type Sandbox = ReturnType<typeof toJsonSandbox>;

/** Signed-in operator, their organization and its environments. */
export interface Session {
  readonly operator: Operator;
  readonly organization: Organization;
  readonly environments: readonly Environment[];
}

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly total: number;
  /** True if there are more items than `total`; absent in lists with exact counts. */
  readonly totalIsMore?: boolean;
  /** Oldest time that the search reached; absent or null: the whole list was searched. */
  readonly searchedSince?: string | null;
  readonly page: number;
  readonly perPage: number;
}
