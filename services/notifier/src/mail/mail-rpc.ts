import type { CallContext } from '@billing/chassis/call-context';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import {
  type ListEmailsRequest,
  type MailServiceServer,
  MailServiceService,
} from '@billing/proto/billing/notifier/v1/mail';
import { bounceTypes, emailKinds, emailStatuses } from '@billing/proto/values/notifier';
import { mailCallers } from '../peer/callers';
import { createAttachmentBytes } from '../attachment/create-attachment';
import { type EmailAttachment, pdfType } from '../attachment/attachment';
import { bounce, type Email, requireResendable, requireSent } from './email';
import { toProtoEmail, toProtoSuppression } from './email-message';
import { type EmailCreation, requireMailServer } from './create-email';
import { sendAgain } from './send-again';
import { sendInvoiceEmail } from './send-invoice-email';
import { sendPortalLink } from './send-portal-link';

/** Implements the calls about mails. */
export function mailRpc(dependencies: EmailCreation) {
  const { emails, suppressions, fromAddress, clock } = dependencies;
  const get = (id: string, context: CallContext) => emails.within(context).get(id);
  const handlers: AsyncHandlers<MailServiceServer> = {
    listEmails: async (request, context) => {
      const { page, perPage, oldestFirst = false, inbox } = request;
      if (inbox && context.tenant.live) throw noInbox();
      const query = { filter: fromProtoFilter(request), page, perPage, oldestFirst };
      const { data, total } = await emails.within(context).list(query);
      const listed = data.map((stored) => toProtoEmail(stored, { withContent: inbox }));
      return { emails: listed, total };
    },
    getEmail: async ({ id }, context) => ({
      email: toProtoEmail(await get(id, context), { withContent: true }),
    }),
    getEmailAttachment: async ({ id, filename }, context) => {
      const attachment = attachmentOf((await get(id, context)).state, filename);
      const data = await createAttachmentBytes(attachment, { ...dependencies, context });
      return { contentType: pdfType, data };
    },
    resendEmail: async ({ id }, context) => {
      const { state } = await get(id, context);
      requireResendable(state);
      requireMailServer(context.tenant, fromAddress);
      const copy = await sendAgain(state, context, dependencies);
      return { email: toProtoEmail(copy, { withContent: true }) };
    },
    sendInvoiceEmail: async ({ invoiceId }, context) => {
      const sent = await sendInvoiceEmail(invoiceId, context, dependencies);
      return { email: toProtoEmail(sent, { withContent: true }) };
    },
    sendPortalLink: async (link, context) => {
      requireMailServer(context.tenant, fromAddress);
      await sendPortalLink(link, context, dependencies);
      return {};
    },
    recordBounce: async ({ id, type }, context) => {
      const reason = bounceTypes.nameOf(type) === 'COMPLAINT' ? 'complaint' : 'hard_bounce';
      const stored = await get(id, context);
      const { state } = stored;
      requireSent(state);
      // A notice that is repeated does not bring back a suppression that was deleted.
      if (state.status === 'BOUNCED') return { email: toProtoEmail(stored, { withContent: true }) };
      // First, so that a crash leaves a suppression, and no bounced address that gets mail.
      context.storing?.pass();
      await suppressions.add(context.tenant.environmentId, {
        email: state.to,
        reason: reason === 'complaint' ? 'COMPLAINT' : 'HARD_BOUNCE',
        emailId: id,
        customerId: state.customerId,
        createdAt: clock.now(),
      });
      const bounced = await emails
        .within(context)
        .mutate(id, (email) => bounce(email, { reason, now: clock.now() }));
      return { email: toProtoEmail(bounced, { withContent: true }) };
    },
    listEmailSuppressions: async (request, { tenant }) => {
      const { page, perPage, oldestFirst = false, email, id } = request;
      const query = { page, perPage, oldestFirst, email, id };
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

function attachmentOf({ content }: Email, filename: string): EmailAttachment {
  const found = content?.attachments?.find((one) => one.filename === filename);
  if (found === undefined) throw notFound('Email');
  return found;
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
