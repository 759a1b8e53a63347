import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import type { OperatorServiceServer } from '@billing/proto/billing/identity/v1/operator';
import type { AuditEntry } from '../audit/audit-entry';
import type { AuditStore } from '../audit/audit-store';
import { checkReset, type Operator, operatorEmail, resetPassword } from './operator';
import { toProtoOperator } from './operator-rpc';
import type { Origin } from './operator-session';
import { findAnywhere, operatorId } from './operator-store';
import { type CommonPasswords, passwordProblems } from '../password/password';
import { isResetLinkValid, issueResetLink, type ResetLink } from './reset-link';
import { sentOrigin } from './session-list-rpc';
import type { SignIn } from './sign-in-service';
import type { TokenStore } from './token-store';

export interface ResetLinkRpcOptions {
  readonly signIn: SignIn;
  readonly operators: AggregateCollection<Operator>;
  readonly resetLinks: TokenStore<ResetLink>;
  readonly commonPasswords: CommonPasswords;
  readonly audit: AuditStore;
  readonly clock: Clock;
}

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  'createResetLink' | 'createOwnerResetLink' | 'getResetLink' | 'resetPassword'
>;

export function resetLinkHandlers(options: ResetLinkRpcOptions): Handlers {
  const { signIn, operators, resetLinks, commonPasswords, clock } = options;
  return {
    createResetLink: async ({ sessionToken, operatorId: id }, { storing }) => {
      const { state: actor, tenant } = (await signIn.authenticate(sessionToken)).operator;
      const { state } = await operators.within({ tenant, now: clock.now() }).get(id);
      checkReset(actor, state);
      const wish = { operator: state, createdBy: actor.id };
      const { token, stored } = await resetLinks.issue({ tenant, storing }, (linkId, now) =>
        issueResetLink(linkId, wish, now),
      );
      return { token, expiresAt: stored.state.expiresAt };
    },
    createOwnerResetLink: async ({ organizationId, email }, { requestId, storing }) => {
      const found = await findAnywhere(operators, operatorId(operatorEmail(email)));
      const isOwner = found?.state.role === 'OWNER' && found.state.active;
      if (!isOwner || found.tenant.organizationId !== organizationId) throw notFound('Operator');
      const wish = { operator: found.state, createdBy: undefined };
      const { token } = await resetLinks.issue({ tenant: found.tenant, storing }, (linkId, now) =>
        issueResetLink(linkId, wish, now),
      );
      await recordReset(
        found,
        { actor: machine, action: 'first-owner --reset', requestId },
        options,
      );
      return { token };
    },
    getResetLink: async ({ token }) => {
      const { operator } = await openLink(token, options);
      return { email: operator.state.email };
    },
    resetPassword: async ({ token, password, origin }, { signal, requestId, storing }) => {
      const { link, operator } = await openLink(token, options);
      const { id, email } = operator.state;
      const { tenant } = operator;
      refuseProblems({ password: passwordProblems(password, email, commonPasswords) });
      const passwordHash = await signIn.hash(password, signal);
      // Its creator may have lost access while the password waited to be hashed.
      await openLink(token, options);
      const { generation } = link.state;
      // One compare-and-set decides: only one of two uses of the link finds the generation that it
      // was created for.
      const changed = await operators
        .within({ tenant, now: clock.now(), storing })
        .mutate(id, (state) => resetPassword(state, { generation, passwordHash }));
      await signIn.clearFailures(email, sentOrigin(origin));
      const actor = { type: 'OPERATOR', id, email } as const;
      const action = 'POST /dashboard/api/reset-links/use';
      await recordReset(operator, { actor, action, requestId, origin, status: 204 }, options);
      return { operator: toProtoOperator(changed), organizationId: tenant.organizationId };
    },
  };
}

const machine = { type: 'SYSTEM', id: 'first-owner', email: undefined } as const;

async function recordReset(
  { state, tenant }: Stored<Operator>,
  done: Pick<AuditEntry, 'actor' | 'action' | 'requestId'> & {
    readonly origin?: Origin | undefined;
    readonly status?: number;
  },
  { audit, clock }: ResetLinkRpcOptions,
): Promise<void> {
  const { address, userAgent } = sentOrigin(done.origin);
  const { actor, action, requestId, status } = done;
  const path = action.split(' ')[1] ?? '';
  const what = { action, path, target: { type: 'operator', id: state.id }, changes: [], status };
  const when = { id: newId(), at: clock.now(), requestId, environmentId: undefined };
  const entry = { ...when, ...what, actor, address, userAgent };
  await audit.insert([{ live: tenant.environmentId, entry }]);
}

/**
 * Finds a valid link. Throws not_found for a link that is unknown, used, expired, or of a creator
 * who may no longer create it.
 */
async function openLink(
  token: string,
  { operators, resetLinks, clock }: ResetLinkRpcOptions,
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
