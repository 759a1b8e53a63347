import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import type { Logger } from '@billing/chassis/logging';
import { notFound } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import type { AuditStore } from '../audit/audit-store';
import { type CommonPasswords, passwordProblems } from '../password/password';
import { type Operator, resetPassword as withNewPassword } from './operator';
import { recordedChange } from './audit-operator';
import { elseEarlier, hasSetPassword, passwordRequestId } from './find-earlier-attempt';
import { isResetLinkValid, type ResetLink } from './reset-link';
import { type Origin, sentOrigin } from './session';
import type { SignIn } from './sign-in';
import type { TokenStore } from './token-store';

export interface ResetPasswordDependencies {
  readonly signIn: SignIn;
  readonly operators: AggregateCollection<Operator>;
  readonly resetLinks: TokenStore<ResetLink>;
  readonly commonPasswords: CommonPasswords;
  readonly audit: AuditStore;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

const path = '/dashboard/api/reset-links/use';

/** A use of a reset link. */
interface PasswordReset {
  readonly token: string;
  readonly password: string;
  readonly origin: Origin | undefined;
  /** Identifies the request; undefined: no retry is recognized. */
  readonly retryKey?: string | undefined;
}

type Call = Pick<CallContext, 'signal' | 'requestId' | 'storing'>;

/** Sets a new password by a reset link; returns the changed operator. */
export async function resetPassword(
  reset: PasswordReset,
  call: Call,
  dependencies: ResetPasswordDependencies,
): Promise<Stored<Operator>> {
  return elseEarlier(
    () => resetOnce(reset, call, dependencies),
    () => findReset(reset, call, dependencies),
  );
}

/** Finds the operator whose password an earlier attempt has set. */
async function findReset(
  { token, password, retryKey }: PasswordReset,
  call: Call,
  { signIn, operators, resetLinks, clock }: ResetPasswordDependencies,
): Promise<Stored<Operator> | undefined> {
  const link = await resetLinks.find(token);
  if (link === undefined) return undefined;
  const { tenant, state } = link;
  const operator = await operators.within({ tenant, now: clock.now() }).find(state.operatorId);
  if (operator === undefined) return undefined;
  const sent = { id: passwordRequestId(state.id, retryKey), password };
  return (await hasSetPassword(operator, sent, { signIn, call })) ? operator : undefined;
}

async function resetOnce(
  { token, password, origin, retryKey }: PasswordReset,
  { signal, requestId, storing }: Call,
  dependencies: ResetPasswordDependencies,
): Promise<Stored<Operator>> {
  const { signIn, operators, commonPasswords, clock, logger } = dependencies;
  const { link, operator } = await openLink(token, dependencies);
  const { id, email } = operator.state;
  const { tenant } = operator;
  refuseProblems({ password: passwordProblems(password, email, commonPasswords) });
  const passwordHash = await signIn.hash(password, signal);
  // Its creator may have lost access while the password waited to be hashed.
  await openLink(token, dependencies);
  const { generation, isMailed, isOfMachine } = link.state;
  const newPassword = {
    passwordHash,
    passwordRequestId: passwordRequestId(link.state.id, retryKey),
  };
  const use = { generation, isMailed, isOfMachine, ...newPassword };
  const now = clock.now();
  storing?.check();
  const reset = { tenant, operator: operator.state, path, requestId, origin, status: 204 };
  // One compare-and-set decides: only one of two uses of the link finds the generation that it
  // was created for.
  const changed = await recordedChange(reset, dependencies, () =>
    operators
      .within({ tenant, now, storing })
      .mutate(id, (state) => withNewPassword(state, use, now)),
  );
  const cleared = signIn.clearFailures(email, sentOrigin(origin)).then(() => changed);
  return elseAsWritten(changed, cleared, { logger, storing });
}

/**
 * Finds a valid link. Throws not_found for a link that is unknown, used, expired, or of a creator
 * who may no longer create it.
 */
export async function openLink(
  token: string,
  { operators, resetLinks, clock }: ResetPasswordDependencies,
): Promise<{ link: Stored<ResetLink>; operator: Stored<Operator> }> {
  const link = await resetLinks.find(token);
  if (link === undefined) throw notFound('Reset link');
  const now = clock.now();
  const own = operators.within({ tenant: link.tenant, now });
  const { operatorId: id, createdBy } = link.state;
  const operator = await own.find(id);
  if (operator === undefined) throw notFound('Reset link');
  const creator = createdBy === undefined ? undefined : await own.find(createdBy);
  const people = { operator: operator.state, creator: creator?.state };
  if (!isResetLinkValid(link.state, people, now)) throw notFound('Reset link');
  return { link, operator };
}
