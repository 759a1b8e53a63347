import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { refuseProblems } from '@billing/kernel/input-problems';
import type { ChangePasswordRequest } from '@billing/proto/billing/identity/v1/operator';
import { type CommonPasswords, passwordProblems } from '../password/password';
import { changePassword as withNewPassword, invalidCredentials, type Operator } from './operator';
import {
  elseEarlier,
  hasSetPassword,
  type PasswordRequest,
  passwordRequestId,
} from './find-earlier-attempt';
import { sentOrigin } from './session';
import type { SignedIn, SignIn } from './sign-in';

export interface ChangePasswordDependencies {
  readonly signIn: SignIn;
  readonly operators: AggregateCollection<Operator>;
  readonly commonPasswords: CommonPasswords;
  readonly clock: Clock;
}

type Call = Pick<CallContext, 'signal' | 'storing'>;

/** Changes the password of the signed-in operator; all other sessions end. */
export async function changePassword(
  request: ChangePasswordRequest,
  call: Call,
  dependencies: ChangePasswordDependencies,
): Promise<void> {
  const { signIn, operators, clock } = dependencies;
  const signedIn = await elseEarlier(
    () => signIn.authenticate(request.sessionToken),
    () => keepCutOffSession(request, call, dependencies),
  );
  const { state, tenant } = signedIn.operator;
  const sent = {
    id: passwordRequestId(state.id, request.retryKey),
    password: request.newPassword,
  };
  // Before the current password, whose check would count as a failed attempt of a sign-in.
  if (await hasSetPassword(signedIn.operator, sent, { signIn, call })) return;
  await elseEarlier(
    async () => {
      await changeOnce(signedIn, { request, sent, call }, dependencies);
      return true;
    },
    async () => {
      const present = await operators.within({ tenant, now: clock.now() }).get(state.id);
      return (await hasSetPassword(present, sent, { signIn, call })) || undefined;
    },
  );
}

/**
 * Keeps the session of an earlier attempt that has set the password without keeping it; undefined
 * for any other session.
 */
async function keepCutOffSession(
  { sessionToken, newPassword: password, retryKey }: ChangePasswordRequest,
  call: Call,
  { signIn }: ChangePasswordDependencies,
): Promise<SignedIn | undefined> {
  const found = await signIn.findCutOff(sessionToken);
  if (found === undefined) return undefined;
  const { state } = found.operator;
  const sent = { id: passwordRequestId(state.id, retryKey), password };
  if (!(await hasSetPassword(found.operator, sent, { signIn, call }))) return undefined;
  await signIn.keepSession(found, state);
  return found;
}

async function changeOnce(
  signedIn: SignedIn,
  {
    request: { currentPassword, origin },
    sent: { id: requestId, password },
    call,
  }: {
    readonly request: ChangePasswordRequest;
    readonly sent: PasswordRequest;
    readonly call: Call;
  },
  { signIn, operators, commonPasswords, clock }: ChangePasswordDependencies,
): Promise<void> {
  const { id, email, sessionGeneration: generation } = signedIn.operator.state;
  refuseProblems({ newPassword: passwordProblems(password, email, commonPasswords) });
  const credentials = { email, password: currentPassword, origin: sentOrigin(origin) };
  const proven = await signIn.verifyPassword(credentials, call);
  if (proven.state.id !== id) throw invalidCredentials();
  const passwordHash = await signIn.hash(password, call.signal);
  const change = { passwordHash, passwordRequestId: requestId, generation };
  const { state } = await operators
    .within({ tenant: proven.tenant, now: clock.now(), storing: call.storing })
    .mutate(id, (operator) => withNewPassword(operator, change));
  await signIn.keepSession(signedIn, state);
}
