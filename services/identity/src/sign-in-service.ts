import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import { randomSecret } from '@billing/chassis/ids';
import { Turns } from '@billing/chassis/turns';
import { DomainError } from '@billing/kernel/domain-error';
import { attempt, perEmail, perNetwork, withdraw } from './login-attempts';
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
} from './operator-session';
import { findAnywhere, operatorId } from './operator-store';
import { hashPassword, isPassword, saltBytes } from './password-hash';
import type { TokenStore } from './token-store';

/** What signing in works with. */
export interface SignInOptions {
  readonly operators: AggregateCollection<Operator>;
  readonly sessions: TokenStore<OperatorSession>;
  readonly attempts: LoginAttemptStore;
  /** How hard new passwords are hashed: `N` of scrypt is two to the power of it. */
  readonly passwordCost: number;
  readonly clock: Clock;
}

/** An operator and the session that they came with. */
export interface SignedIn {
  readonly operator: Stored<Operator>;
  readonly session: Stored<OperatorSession>;
}

/** Who tries to prove who they are, and from where. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly network: string;
}

// Each hash keeps one of the process' few threads busy for a tenth of a second.
const hashesAtOnce = 2;

/** Lets operators in and tells who they are. */
export class SignIn {
  private readonly turns = new Turns();
  private hashes = 0;

  constructor(private readonly options: SignInOptions) {}

  /** Whoever knows the password, in whichever organisation. */
  async logIn(credentials: Credentials): Promise<Stored<Operator>> {
    const email = emailOrRefusal(credentials.email);
    const { attempts, clock, operators, passwordCost } = this.options;
    const at = clock.now();
    const { network } = credentials;
    // The network first: who is refused for it must not lock the owner of an address out.
    await attempts.change(`network:${network}`, (made) => attempt(made, perNetwork, at), at);
    await attempts.change(`email:${email}`, (made) => attempt(made, perEmail, at), at);
    const operator = await findAnywhere(operators, operatorId(email));
    const isRight = await this.inTurn(() =>
      isPassword(credentials.password, operator?.state.passwordHash, { cost: passwordCost }),
    );
    if (operator === undefined || !isRight || !operator.state.active) throw invalidCredentials();
    await attempts.change(`network:${network}`, (made) => withdraw(made, at), at);
    await attempts.change(`email:${email}`, () => [], at);
    return operator;
  }

  /** Whoever has an address of which an identity provider has made sure, if they are who came by it before. */
  async logInByProvider({
    email,
    ...identity
  }: ProviderIdentity & { readonly email: string }): Promise<Stored<Operator>> {
    const { operators, clock } = this.options;
    const found = await findAnywhere(operators, operatorId(emailOrRefusal(email)));
    if (found === undefined) throw invalidCredentials();
    const { state, tenant } = found;
    return operators
      .within({ tenant, now: clock.now() })
      .mutate(state.id, (operator) => recognise(operator, identity));
  }

  async open({ state, tenant }: Stored<Operator>): Promise<{ token: string; expiresAt: Date }> {
    const { token, stored } = await this.options.sessions.issue(tenant, (id, now) =>
      openSession(id, state, now),
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

  /** Lets a session go on that has itself ended all others of its operator. */
  async keep({ session }: SignedIn, operator: Operator): Promise<void> {
    await this.options.sessions.mutate(session, (state) => keepSession(state, operator));
  }

  /** What is stored of a password. */
  async hash(password: string): Promise<string> {
    const { passwordCost: cost } = this.options;
    return this.inTurn(() => hashPassword(password, { salt: randomSecret(saltBytes), cost }));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.hashes = (this.hashes + 1) % hashesAtOnce;
    return this.turns.take([String(this.hashes)], work);
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
