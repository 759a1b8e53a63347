import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import type { Logger } from '@billing/chassis/logging';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import type { OperatorServiceServer } from '@billing/proto/billing/identity/v1/operator';
import { invalidInput } from '@billing/kernel/domain-error';
import type { EmailCodes } from './email-codes';
import {
  changeEmail,
  changeName,
  checkOwnEmail,
  invalidCredentials,
  type Operator,
  operatorEmail,
  operatorExists,
} from './operator';
import { toProtoOperator } from './operator-rpc';
import { findHolder, withUniqueEmail } from './operator-store';
import type { SecondFactors } from './second-factors';
import { sentOrigin } from './session';
import type { SignIn } from './sign-in';

export interface AccountRpcDependencies {
  readonly signIn: SignIn;
  readonly secondFactors: SecondFactors;
  readonly emailCodes: EmailCodes;
  readonly operators: AggregateCollection<Operator>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

type Handlers = Pick<AsyncHandlers<OperatorServiceServer>, 'changeName' | 'changeEmail'>;

/** Changes by operators of their own name and email address. */
export function accountHandlers(dependencies: AccountRpcDependencies): Handlers {
  const { signIn, secondFactors, emailCodes, operators, clock, logger } = dependencies;
  return {
    changeName: async ({ sessionToken, name }, { storing }) => {
      const { state, tenant } = (await signIn.authenticate(sessionToken)).operator;
      const changed = await operators
        .within({ tenant, now: clock.now(), storing })
        .mutate(state.id, (operator) => changeName(operator, name));
      return { operator: toProtoOperator(changed) };
    },

    changeEmail: async ({ sessionToken, email: text, password, code, ...request }, call) => {
      const origin = sentOrigin(request.origin);
      const signedIn = await signIn.authenticate(sessionToken);
      const { id, email: former, sessionGeneration: generation } = signedIn.operator.state;
      checkOwnEmail(signedIn.operator.state);
      const email = operatorEmail(text);
      const proven = await signIn.verifyPassword({ email: former, password, origin }, call);
      if (proven.state.id !== id) throw invalidCredentials();
      // A retry: its code is used.
      if (email === former) return { operator: toProtoOperator(proven), emailCode: '' };
      // After the password, and as an attempt: without a proof of the address, the answer tells
      // whether another operator has it.
      await signIn.countAddress(id);
      const { provesEmail, emailCode } = request;
      const asked = { operatorId: id, email, generation };
      if (provesEmail && emailCode === undefined) {
        return { operator: undefined, emailCode: emailCodes.codeOf(asked, clock.now()) };
      }
      if (provesEmail && !emailCodes.isCode(emailCode ?? '', asked, clock.now())) {
        throw invalidInput({ emailCode: ['Wrong code'] });
      }
      const holder = await findHolder(operators, email);
      if (holder !== undefined && holder.state.id !== id) throw operatorExists();
      const changed = await withUniqueEmail(() =>
        secondFactors.change(proven, { code, origin }, call, (one) =>
          changeEmail(one, { email, generation, isProven: provesEmail }),
        ),
      );
      const answer = { operator: toProtoOperator(changed), emailCode: '' };
      const kept = signIn.keepSession(signedIn, changed.state).then(() => answer);
      // Otherwise the session has ended with the others, and the operator signs in again.
      return elseAsWritten(answer, kept, { logger, storing: call.storing });
    },
  };
}
