import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { randomSecret } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import type { HashQueue } from './hash-queue-worker';
import { attempt, perEmail, perEmailAndNetwork, perNetwork, withdraw } from './login-attempts';
import type { LoginAttemptStore } from './login-attempt-store';
import {
  invalidCredentials,
  type Operator,
  operatorEmail,
  type ProviderIdentity,
  recognise,
} from './operator';
import {
  endSession,
  invalidSession,
  isOpen,
  keepSession,
  noteSessionUse,
  openSession,
  type OperatorSession,
  type Origin,
} from './operator-session';
import type { OperatorSessionStore } from './operator-session-store';
import { findAnywhere, operatorId } from './operator-store';
import { hashPassword, isPassword, saltBytes } from './password-hash';
import type { TokenStore } from './token-store';

/** What signing in works with. */
export interface SignInOptions {
  readonly operators: AggregateCollection<Operator>;
  readonly sessions: TokenStore<OperatorSession>;
  readonly sessionList: OperatorSessionStore;
  readonly attempts: LoginAttemptStore;
  /** How hard new passwords are hashed: `N` of scrypt is two to the power of it. */
  readonly passwordCost: number;
  readonly hashes: HashQueue;
  readonly clock: Clock;
}

/** An operator and the session that they came with. */
export interface SignedIn {
  readonly operator: Stored<Operator>;
  readonly session: Stored<OperatorSession>;
}

/** The call by which an operator signs in. */
export type SignInCall = Pick<CallContext, 'signal' | 'storing'>;

/** Who tries to prove who they are, and from where. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
}

/** Lets operators in and tells who they are. */
export class SignIn {
  constructor(private readonly options: SignInOptions) {}

  /** Whoever knows the password, in whichever organisation. */
  async logIn(
    credentials: Credentials,
    { signal, storing }: SignInCall,
  ): Promise<Stored<Operator>> {
    const email = emailOrRefusal(credentials.email);
    const { attempts, clock, operators, passwordCost, sessionList } = this.options;
    const at = clock.now();
    const { network } = credentials.origin;
    const operator = await findAnywhere(operators, operatorId(email));
    const isKnown = operator !== undefined && (await sessionList.isKnown(operator, network, at));
    // An attempt is charged only where a session can still be stored.
    storing?.pass();
    // The network first: who is refused for it must not lock the owner of an address out.
    const pair = `email-network:${email} ${network}`;
    const limits = [
      [`network:${network}`, perNetwork],
      [pair, perEmailAndNetwork],
      // What others try from elsewhere does not lock the operator out where they have signed in before.
      ...(isKnown ? [] : ([[`email:${email}`, perEmail]] as const)),
    ] as const;
    for (const [key, limit] of limits) {
      await attempts.change(key, (made) => attempt(made, limit, at), at);
    }
    const charged = limits.map(([key]) => key);
    const hash = operator?.state.passwordHash;
    const isRight = await this.options.hashes
      .run(() => isPassword(credentials.password, hash, { cost: passwordCost }), signal)
      .catch(async (error: unknown) => {
        // The password was not looked at: the queue was full, or the caller left it.
        await this.withdraw(charged, at);
        throw error;
      });
    if (operator === undefined || !isRight || !operator.state.active) throw invalidCredentials();
    await this.withdraw(charged, at);
    await attempts.change(pair, () => [], at);
    return operator;
  }

  private async withdraw(keys: readonly string[], at: Date): Promise<void> {
    const { attempts } = this.options;
    for (const key of keys) await attempts.change(key, (made) => withdraw(made, at), at);
  }

  /** Forgets what failed for an e-mail address: its operator has proven otherwise who they are. */
  async forgive(email: string, { network }: Origin): Promise<void> {
    const { attempts, clock } = this.options;
    const now = clock.now();
    await attempts.change(`email:${email}`, () => [], now);
    await attempts.change(`email-network:${email} ${network}`, () => [], now);
  }

  /** Whoever has an address of which an identity provider has made sure, if they are who came by it before. */
  async logInByProvider(
    { email, ...identity }: ProviderIdentity & { readonly email: string },
    { storing }: Pick<CallContext, 'storing'>,
  ): Promise<Stored<Operator>> {
    const { operators, clock } = this.options;
    const found = await findAnywhere(operators, operatorId(emailOrRefusal(email)));
    if (found === undefined) throw invalidCredentials();
    const { state, tenant } = found;
    return operators
      .within({ tenant, now: clock.now(), storing })
      .mutate(state.id, (operator) => recognise(operator, identity));
  }

  async open(
    { state: operator, tenant }: Stored<Operator>,
    origin: Origin | undefined,
    { storing }: Pick<CallContext, 'storing'>,
  ): Promise<{ token: string; expiresAt: Date }> {
    const { token, stored } = await this.options.sessions.issue({ tenant, storing }, (id, now) =>
      openSession(id, { operator, origin }, now),
    );
    return { token, expiresAt: stored.state.expiresAt };
  }

  /** Whose session it is. Throws unauthenticated for one that opens nothing. */
  async of(token: string): Promise<SignedIn> {
    const { sessions, operators, clock } = this.options;
    const session = await sessions.find(token);
    if (session === undefined) throw invalidSession();
    const now = clock.now();
    const operator = await operators
      .within({ tenant: session.tenant, now })
      .find(session.state.operatorId);
    if (operator === undefined || !isOpen(session.state, operator.state, now)) {
      throw invalidSession();
    }
    if (noteSessionUse(session.state, now).state !== session.state) {
      await sessions.mutate(session, noteSessionUse);
    }
    return { operator, session };
  }

  async end(token: string): Promise<void> {
    const { sessions } = this.options;
    const session = await sessions.find(token);
    if (session !== undefined) await sessions.mutate(session, endSession);
  }

  /** Ends a session that was found otherwise than by its token. */
  async endFound(session: Stored<OperatorSession>): Promise<void> {
    await this.options.sessions.mutate(session, endSession);
  }

  /** Lets a session go on that has itself ended all others of its operator. */
  async keep({ session }: SignedIn, operator: Operator): Promise<void> {
    await this.options.sessions.mutate(session, (state) => keepSession(state, operator));
  }

  /** What is stored of a password. */
  async hash(password: string, signal: AbortSignal): Promise<string> {
    const { passwordCost: cost } = this.options;
    const salt = randomSecret(saltBytes);
    return this.options.hashes.run(() => hashPassword(password, { salt, cost }), signal);
  }
}

// What cannot be an address is nobody's; it is told no more than any other.
function emailOrRefusal(text: string): string {
  try {
    return operatorEmail(text);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_input') throw invalidCredentials();
    throw error;
  }
}
