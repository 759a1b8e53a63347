import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { DataKeys } from '@billing/chassis/data-keys';
import { randomSecret } from '@billing/chassis/ids';
import { invalidInput } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import type { LoginAttemptStore } from '../password/login-attempt-store';
import { perEmailAndNetwork, perSecondFactor } from '../password/login-attempts';
import { isConfirmed } from '../second-factor/second-factor';
import { fromBase32, toBase32 } from '../second-factor/base32';
import {
  recoveryCode,
  recoveryCodeBytes,
  recoveryCodeHash,
  recoveryCodesCount,
} from '../second-factor/recovery-codes';
import type { Operator } from './operator';
import {
  beginFactor,
  confirmFactor,
  removeFactor,
  secondFactorUnavailable,
  signInWithCode,
  useOwnCode,
} from './operator-factor';
import type { OperatorSession, Origin } from './session';
import type { OperatorSessionStore } from './session-store';

export interface SecondFactorDependencies {
  readonly operators: AggregateCollection<Operator>;
  readonly sessionList: OperatorSessionStore;
  readonly attempts: LoginAttemptStore;
  /** Seals the secrets; undefined: DATA_KEYS is not set, and no operator can set a factor up. */
  readonly dataKeys: DataKeys | undefined;
  readonly clock: Clock;
}

/** A typed code and its origin. */
export interface SentCode {
  readonly code: string;
  readonly origin: Origin;
}

/** A confirmation by the session of an operator. */
interface Confirmation {
  readonly session: Stored<OperatorSession>;
  readonly code: string;
  /** Keeps the session valid, which ends with the operator's others otherwise. */
  readonly keepSession: (operator: Operator) => Promise<void>;
}

type Storing = Pick<CallContext, 'storing'>;

// As long as a SHA-1, which RFC 4226 recommends.
const secretBytes = 20;

/** Sets up, uses and removes the second factors of operators. */
export class SecondFactors {
  constructor(private readonly dependencies: SecondFactorDependencies) {}

  /** False: no operator can set a second factor up. */
  get isAvailable(): boolean {
    return this.dependencies.dataKeys !== undefined;
  }

  /** Stores a new secret, which does not count yet; returns it in base32. */
  async begin({ state, tenant }: Stored<Operator>, { storing }: Storing): Promise<string> {
    const secret = toBase32(randomSecret(secretBytes));
    const sealed = this.keys().seal(secret);
    await this.within(tenant, storing).mutate(state.id, (one) => beginFactor(one, sealed));
    return secret;
  }

  /** Turns the stored factor on; returns its recovery codes. */
  async confirm(
    { state, tenant }: Stored<Operator>,
    { session: { createdAt: sessionOpenedAt }, code, keepSession }: Confirmation,
    { storing }: Storing,
  ): Promise<readonly string[]> {
    const codes = Array.from({ length: recoveryCodesCount }, () =>
      recoveryCode(randomSecret(recoveryCodeBytes)),
    );
    const recoveryHashes = codes.map(recoveryCodeHash);
    const now = this.dependencies.clock.now();
    const confirmed = (one: Operator) => {
      const proof = { secret: this.secretOf(one), code };
      return confirmFactor(one, { ...proof, recoveryHashes, sessionOpenedAt }, now);
    };
    // The session first: a crash in between ends it, and its operator begins again. After the
    // factor, a crash would end the only session that can still get recovery codes.
    const { state: kept } = confirmed(state);
    // The session changes only where the factor can still be stored.
    storing?.pass();
    await keepSession(kept);
    await this.within(tenant, storing).mutate(state.id, confirmed);
    return codes;
  }

  /** Uses a code for a sign-in. Limited like passwords: a code is an attempt before it is read. */
  async use(
    operator: Stored<Operator>,
    sent: SentCode,
    { storing }: Storing,
  ): Promise<Stored<Operator>> {
    const { state, tenant } = operator;
    const { sessionGeneration: generation } = state;
    return this.limited(operator, { ...sent.origin, storing }, (now) =>
      this.within(tenant, storing).mutate(state.id, (one) =>
        signInWithCode(one, { secret: this.secretOf(one), code: sent.code, generation }, now),
      ),
    );
  }

  /** Uses a code to turn the factor off. */
  async remove(operator: Stored<Operator>, sent: SentCode, { storing }: Storing): Promise<void> {
    const { state, tenant } = operator;
    await this.limited(operator, { ...sent.origin, storing }, (now) =>
      this.within(tenant, storing).mutate(state.id, (one) =>
        removeFactor(one, { secret: this.secretOf(one), code: sent.code }, now),
      ),
    );
  }

  /** Changes an operator together with the use of a code, where they have a second factor. */
  async change(
    operator: Stored<Operator>,
    sent: { readonly code: string | undefined; readonly origin: Origin },
    { storing }: Storing,
    change: (operator: Operator) => Transition<Operator>,
  ): Promise<Stored<Operator>> {
    const { state, tenant } = operator;
    const own = this.within(tenant, storing);
    if (!isConfirmed(state.secondFactor)) return own.mutate(state.id, change);
    const { code, origin } = sent;
    if (code === undefined) throw invalidInput({ code: ['Required'] });
    return this.limited(operator, { ...origin, storing }, (now) =>
      own.mutate(state.id, (one) =>
        change(useOwnCode(one, { secret: this.secretOf(one), code }, now)),
      ),
    );
  }

  private async limited<T>(
    operator: Stored<Operator>,
    { network, storing }: Pick<Origin, 'network'> & Storing,
    use: (now: Date) => Promise<T>,
  ): Promise<T> {
    const { attempts, sessionList, clock } = this.dependencies;
    const at = clock.now();
    const { id, secondFactor } = operator.state;
    // Sign-ins before the factor needed no code, so their networks prove nothing.
    const since = secondFactor?.confirmedAt;
    const isKnown = await sessionList.isKnown(operator, network, { now: at, since });
    const pair = `factor-network:${id} ${network}`;
    // Guesses from elsewhere do not lock the operator out where they have signed in before.
    const daily = isKnown ? `factor-known:${id} ${network}` : `factor:${id}`;
    const limits = [[pair, perEmailAndNetwork] as const, [daily, perSecondFactor] as const];
    return attempts.limited(limits, { pair, at, storing }, () => use(at));
  }

  private within(tenant: Stored<Operator>['tenant'], storing: CallContext['storing']) {
    const { operators, clock } = this.dependencies;
    return operators.within({ tenant, now: clock.now(), storing });
  }

  /** The secret; empty without one, which no rule then reads. */
  private secretOf({ secondFactor }: Operator): Buffer {
    if (secondFactor === undefined) return Buffer.alloc(0);
    return fromBase32(this.keys().open(secondFactor.sealedSecret));
  }

  private keys(): DataKeys {
    const { dataKeys } = this.dependencies;
    if (dataKeys === undefined) throw secondFactorUnavailable();
    return dataKeys;
  }
}
