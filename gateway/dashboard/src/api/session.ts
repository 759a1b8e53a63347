import type { RecoveryJson } from '@billing/gateway/operator/recovery';
import type {
  toJsonEnvironment,
  toJsonOperator,
  toJsonOrganization,
} from '@billing/gateway/operator/operator-json';

// Types come from the functions that create the JSON.

export type Environment = ReturnType<typeof toJsonEnvironment>;
export type Operator = ReturnType<typeof toJsonOperator>;
type Organization = ReturnType<typeof toJsonOrganization>;

/** Signed-in operator, their organization and its environments. */
export interface Session {
  readonly operator: Operator;
  readonly organization: Organization;
  readonly environments: readonly Environment[];
  /** The session may set up a second factor, and nothing else. */
  readonly secondFactorMissing: boolean;
  /** Null if nothing was restored in the last 30 days. */
  readonly recovery: RecoveryJson | null;
}
