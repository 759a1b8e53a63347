import type { toJsonApiKey } from '@billing/proto/json/api-key';
import type { toJsonSandbox } from '@billing/proto/json/sandbox';
import type { toJsonChoices } from '@billing/gateway/dashboard/choice-routes';
import type {
  toJsonAuditEntry,
  toJsonEnvironment,
  toJsonOperator,
  toJsonOrganization,
  toJsonSession,
} from '@billing/gateway/dashboard/operator-json';

// What the API answers is declared where the API makes it; here it only gets its name. Resources that one page shows are named in that page's folder.

export type ApiKey = ReturnType<typeof toJsonApiKey>;
export type AuditEntry = ReturnType<typeof toJsonAuditEntry>;
/** What forms offer to choose from. */
export type Choices = ReturnType<typeof toJsonChoices>;
export type Environment = ReturnType<typeof toJsonEnvironment>;
export type Operator = ReturnType<typeof toJsonOperator>;
type Organization = ReturnType<typeof toJsonOrganization>;
export type OpenSession = ReturnType<typeof toJsonSession>;
export type Sandbox = ReturnType<typeof toJsonSandbox>;

/** Who is signed in, and where they may work. */
export interface Session {
  readonly operator: Operator;
  readonly organization: Organization;
  readonly environments: readonly Environment[];
}

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly total: number;
  /** There are more than `total`; absent: never in this list. */
  readonly totalIsMore?: boolean;
  /** How far back it was looked; absent or null: to the end. */
  readonly searchedSince?: string | null;
  readonly page: number;
  readonly perPage: number;
}
