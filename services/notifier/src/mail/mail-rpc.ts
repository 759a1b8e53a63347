import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { DomainError, notFound, unlessNotFound } from '@billing/kernel/domain-error';
import { only } from '@billing/kernel/transition';
import {
  type ListEmailsRequest,
  type MailServiceServer,
  MailServiceService,
} from '@billing/proto/billing/notifier/v1/mail';
import { bounceTypes, emailKinds, emailStatuses } from '@billing/proto/values/notifier';
import { mailCallers } from '../callers';
import type { MailPeers } from '../peers';
import { bounce, type Email, notResendable, requireResendable, requireSent } from './email';
import { toProtoEmail, toProtoSuppression } from './email-message';
import { suppressBounced } from './mail-maker-worker';
import { copyOf } from './new-email';
import type { SuppressionStore } from './suppression-store';

export interface MailRpcDependencies {
  readonly emails: AggregateCollection<Email>;
  readonly suppressions: SuppressionStore;
  readonly peers: MailPeers;
  /** Undefined: no mail server is configured. */
  readonly fromAddress: string | undefined;
  readonly clock: Clock;
}

/** Implements the calls about mails. */
export function mailRpc({ emails, suppressions, peers, fromAddress, clock }: MailRpcDependencies) {
  const get = (id: string, context: CallContext) => emails.within(context).get(id);
  const resend = async (original: Email, context: CallContext): Promise<Stored<Email>> => {
    const { environmentId, live } = context.tenant;
    requireResendable(original);
    if (live && fromAddress === undefined) throw noMailServer();
    const request = { id: original.customerId };
    const found = await unlessNotFound(peers.customer.getCustomer(request, context));
    const to = found?.customer?.email;
    if (to === undefined || to === '' || original.content === null) throw notResendable();
    const id = newResourceId(context, 'email');
    const isSuppressed = await suppressions.isSuppressed(environmentId, to, id);
    const place = { isLive: live, fromAddress, isSuppressed, now: clock.now() };
    const email = copyOf(original, { id, to, place });
    await suppressBounced(suppressions, environmentId, email);
    return (await emails.within(context).insert(only(email))).stored;
  };
  const handlers: AsyncHandlers<MailServiceServer> = {
    listEmails: async (request, context) => {
      const { page, perPage, oldestFirst = false, inbox } = request;
      if (inbox && context.tenant.live) throw noInbox();
      const filter = fromProtoFilter(request);
      const { data, total } = await emails
        .within(context)
        .list({ filter, page, perPage, oldestFirst });
      return {
        emails: data.map((stored) => toProtoEmail(stored, { withContent: inbox })),
        total,
      };
    },
    getEmail: async ({ id }, context) => ({
      email: toProtoEmail(await get(id, context), { withContent: true }),
    }),
    resendEmail: async ({ id }, context) => {
      const { state } = await get(id, context);
      return { email: toProtoEmail(await resend(state, context), { withContent: true }) };
    },
    recordBounce: async ({ id, type }, context) => {
      const reason = bounceTypes.nameOf(type) === 'COMPLAINT' ? 'complaint' : 'hard_bounce';
      const stored = await get(id, context);
      const { state } = stored;
      requireSent(state);
      // A notice that is repeated does not bring back a suppression that was deleted.
      if (state.status === 'BOUNCED') return { email: toProtoEmail(stored, { withContent: true }) };
      // First, so that a crash leaves a suppression, and no bounced address that gets mail.
      await suppressions.add(context.tenant.environmentId, {
        email: state.to,
        reason: reason === 'complaint' ? 'COMPLAINT' : 'HARD_BOUNCE',
        emailId: id,
        createdAt: clock.now(),
      });
      const bounced = await emails
        .within(context)
        .mutate(id, (email) => bounce(email, { reason, now: clock.now() }));
      return { email: toProtoEmail(bounced, { withContent: true }) };
    },
    listEmailSuppressions: async (request, { tenant }) => {
      const { page, perPage, oldestFirst = false, email } = request;
      const query = { page, perPage, oldestFirst, email };
      const { data, total } = await suppressions.list(tenant.environmentId, query);
      return { suppressions: data.map(toProtoSuppression), total };
    },
    deleteEmailSuppression: async ({ id }, { tenant }) => {
      const isRemoved = await suppressions.remove(tenant.environmentId, id);
      if (!isRemoved) throw notFound('Email suppression');
      return {};
    },
  };
  return rpcService(MailServiceService, handlers, { callers: mailCallers });
}

function fromProtoFilter(request: ListEmailsRequest): Record<string, unknown> {
  const { customerId, invoiceId, subscriptionId, kind, status, to } = request;
  return {
    ...(customerId !== undefined && { customerId }),
    ...(invoiceId !== undefined && { invoiceId }),
    ...(subscriptionId !== undefined && { subscriptionId }),
    ...(kind !== undefined && { kind: emailKinds.nameOf(kind) }),
    ...(status !== undefined && { status: emailStatuses.nameOf(status) }),
    ...(to !== undefined && { recipient: to.toLowerCase() }),
  };
}

function noInbox(): DomainError {
  const message = 'The live environment has no inbox';
  return new DomainError('failed_precondition', 'NO_INBOX', message);
}

function noMailServer(): DomainError {
  const message = 'No mail server is configured';
  return new DomainError('failed_precondition', 'NO_MAIL_SERVER', message);
}
