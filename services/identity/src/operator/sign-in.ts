import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { randomSecret } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import type { BackgroundWrites } from '../background-write/background-write-store';
import type { HashQueue } from '../password/hash-queue';
import { attempt, perEmail, perEmailAndNetwork, perNetwork } from '../password/login-attempts';
import type { LoginAttemptStore } from '../password/login-attempt-store';
import type { Organization } from '../organization/organization';
import { isConfirmed } from '../second-factor/second-factor';
import {
  invalidCredentials,
  type Operator,
  operatorEmail,
  type ProviderIdentity,
  bindToProvider,
} from './operator';
import { checkPasswordAllowed, secondFactorRequired } from './operator-factor';
import type { SecondFactors } from './second-factors';
import {
  endSession,
  invalidSession,
  isOpen,
  renewGeneration,
  recordSessionUse,
  openSession,
  type OperatorSession,
  type Origin,
} from './session';
import type { OperatorSessionStore } from './session-store';
import { findByEmail, operatorId } from './operator-store';
import { hashPassword, isPassword, saltBytes } from '../password/password-hash';
import type { TokenStore } from './token-store';

export interface SignInDependencies {
  readonly organizations: AggregateCollection<Organization>;
  readonly secondFactors: SecondFactors;
  readonly operators: AggregateCollection<Operator>;
  readonly sessions: TokenStore<OperatorSession>;
  readonly sessionList: OperatorSessionStore;
  readonly attempts: LoginAttemptStore;
  /** Cost of new password hashes: `N` of scrypt is two to the power of it. */
  readonly passwordCost: number;
  readonly hashes: HashQueue;
  readonly backgroundWrites: BackgroundWrites;
  readonly clock: Clock;
}

/** An operator and the session of their call. */
export interface SignedIn {
  readonly operator: Stored<Operator>;
  readonly session: Stored<OperatorSession>;
}

/** The call by which an operator signs in. */
export type SignInCall = Pick<CallContext, 'signal' | 'storing'>;

/** The call by which a session is opened. */
export interface OpeningCall extends Pick<CallContext, 'storing'> {
  readonly isByProvider?: boolean;
}

/** The credentials and their origin. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
}

/** A sign-in with a password. */
export interface SentSignIn extends Credentials {
  /** Code of the second factor; undefined if none was asked for yet. */
  readonly code: string | undefined;
  readonly isProviderConfigured: boolean;
}

/** Signs operators in and authenticates their sessions. */
export class SignIn {
  constructor(private readonly dependencies: SignInDependencies) {}

  /**
   * Signs in the operator with a password, and the code of a second factor if they have one.
   */
  async logIn(
    { code, isProviderConfigured, ...credentials }: SentSignIn,
    call: SignInCall,
  ): Promise<Stored<Operator>> {
    const { organizations, secondFactors, clock } = this.dependencies;
    const operator = await this.verifyPassword(credentials, call);
    const { state, tenant } = operator;
    const now = clock.now();
    const organization = await organizations.within({ tenant, now }).get(tenant.organizationId);
    const { signInRules } = organization.state;
    checkPasswordAllowed(state, signInRules, { isProviderConfigured, now });
    if (!isConfirmed(state.secondFactor)) return operator;
    if (code === undefined) throw secondFactorRequired();
    return secondFactors.use(operator, { code, origin: credentials.origin }, call);
  }

  /** Finds the operator with a password, in any organization. */
  async verifyPassword(
    credentials: Credentials,
    { signal, storing }: SignInCall,
  ): Promise<Stored<Operator>> {
    const email = emailOrRefusal(credentials.email);
    const { attempts, clock, operators, passwordCost, sessionList } = this.dependencies;
    const { network } = credentials.origin;
    const operator = await findByEmail(operators, email);
    const isKnown =
      operator !== undefined &&
      (await sessionList.isKnown(operator, network, { now: clock.now() }));
    const pair = `email-network:${email} ${network}`;
    // Attempts on other addresses, and from elsewhere, do not lock the operator out where they have
    // signed in before. The network first: a network that is refused must not lock the owner of an
    // address out.
    const limits = isKnown
      ? ([[pair, perEmailAndNetwork]] as const)
      : ([
          [`network:${network}`, perNetwork],
          [pair, perEmailAndNetwork],
          [`email:${email}`, perEmail],
        ] as const);
    const { hashes } = this.dependencies;
    const attemptNow = async () => {
      // An attempt is charged only where a session can still be stored.
      storing?.check();
      return attempts.limited(limits, { pair, at: clock.now(), storing }, async () => {
        const hash = operator?.state.passwordHash;
        const isRight = await hashes.run(
          () => isPassword(credentials.password, hash, { cost: passwordCost }),
          signal,
        );
        if (operator === undefined || !isRight || !operator.state.active) {
          throw invalidCredentials();
        }
        return operator;
      });
    };
    return isKnown ? attemptNow() : hashes.runForStranger(email, attemptNow, signal);
  }

  /**
   * Clears the failures of an email address: its operator has proven their identity by other
   * means.
   */
  async clearFailures(email: string, { network }: Origin): Promise<void> {
    const { attempts, clock } = this.dependencies;
    const now = clock.now();
    await attempts.change(`email:${email}`, () => [], now);
    await attempts.change(`email-network:${email} ${network}`, () => [], now);
  }

  /** Counts an address that an operator asks for. Throws resource_exhausted after ten in 15 min. */
  async countAddress(id: string): Promise<void> {
    const { attempts, clock } = this.dependencies;
    const now = clock.now();
    await attempts.change(`email-of:${id}`, (made) => attempt(made, perEmailAndNetwork, now), now);
  }

  /**
   * Signs in the operator with an address that an identity provider has verified, if their identity
   * is the one of their first sign-in.
   */
  async logInByProvider(
    { email, ...identity }: ProviderIdentity & { readonly email: string },
    { storing }: Pick<CallContext, 'storing'>,
  ): Promise<Stored<Operator>> {
    const { operators, clock } = this.dependencies;
    const found = await findByEmail(operators, emailOrRefusal(email));
    if (found === undefined) throw invalidCredentials();
    const { state, tenant } = found;
    return operators.within({ tenant, now: clock.now(), storing }).mutate(state.id, (operator) => {
      const isChosen = operatorId(operator.email) !== operator.id;
      return bindToProvider(operator, identity, { isChosen });
    });
  }

  /** Opens a session, if enough time for it is left. */
  async open(
    { state: operator, tenant }: Stored<Operator>,
    origin: Origin | undefined,
    { storing, isByProvider = false }: OpeningCall,
  ): Promise<{ token: string; expiresAt: Date }> {
    // A code that was used for it is no session.
    storing?.close();
    const { token, stored } = await this.dependencies.sessions.issue(
      { tenant, storing },
      (id, now) => openSession(id, { operator, origin, isByProvider }, now),
    );
    return { token, expiresAt: stored.state.expiresAt };
  }

  /** Finds the operator of a session. Throws unauthenticated for an invalid one. */
  async authenticate(token: string): Promise<SignedIn> {
    const { sessions, operators, backgroundWrites, clock } = this.dependencies;
    const session = await sessions.find(token);
    if (session === undefined) throw invalidSession();
    const now = clock.now();
    const operator = await operators
      .within({ tenant: session.tenant, now })
      .find(session.state.operatorId);
    if (operator === undefined || !isOpen(session.state, operator.state, now)) {
      throw invalidSession();
    }
    if (recordSessionUse(session.state, now).state !== session.state) {
      backgroundWrites.begin(session.state.id, 'session use not recorded', () =>
        sessions.mutate(session, recordSessionUse),
      );
    }
    return { operator, session };
  }

  /**
   * Finds the operator of a session that a new password has cut off: the process that set it died,
   * or has not kept the session yet. Undefined for any other session that is not valid.
   */
  async findCutOff(token: string): Promise<SignedIn | undefined> {
    const { sessions, operators, clock } = this.dependencies;
    const session = await sessions.find(token);
    if (session === undefined) return undefined;
    const now = clock.now();
    const { tenant, state } = session;
    const operator = await operators.within({ tenant, now }).find(state.operatorId);
    if (operator === undefined) return undefined;
    const kept = renewGeneration(state, operator.state).state;
    return isOpen(kept, operator.state, now) ? { operator, session } : undefined;
  }

  async end(token: string): Promise<void> {
    const { sessions } = this.dependencies;
    const session = await sessions.find(token);
    if (session !== undefined) await sessions.mutate(session, endSession);
  }

  /** Ends a session that was found by its id, not its token. */
  async endSession(session: Stored<OperatorSession>): Promise<void> {
    await this.dependencies.sessions.mutate(session, endSession);
  }

  /** Keeps a session valid that has itself ended all others of its operator. */
  async keepSession({ session }: SignedIn, operator: Operator): Promise<void> {
    await this.dependencies.sessions.mutate(session, (state) => renewGeneration(state, operator));
  }

  /** True for the present password of an operator who has proven their identity by other means. */
  async isPassword(
    { passwordHash }: Operator,
    password: string,
    { signal }: Pick<SignInCall, 'signal'>,
  ): Promise<boolean> {
    const { hashes, passwordCost: cost } = this.dependencies;
    return hashes.run(() => isPassword(password, passwordHash, { cost }), signal);
  }

  /** Hashes a password for storage. */
  async hash(password: string, signal: AbortSignal): Promise<string> {
    const { passwordCost: cost } = this.dependencies;
    const salt = randomSecret(saltBytes);
    return this.dependencies.hashes.run(() => hashPassword(password, { salt, cost }), signal);
  }
}

// A text that cannot be an address gets the same answer as any other.
function emailOrRefusal(text: string): string {
  try {
    return operatorEmail(text);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_input') throw invalidCredentials();
    throw error;
  }
}
