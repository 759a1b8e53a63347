import { z } from 'zod';
import {
  EmailJson,
  EmailSuppressionJson,
  toJsonEmail,
  toJsonEmailSuppression,
} from '@billing/proto/json/email';
import { bounceTypes, emailKinds, emailStatuses } from '@billing/proto/values/notifier';
import { created, ok, present } from '../../../http/answer';
import { irreversibleAction, listShape, readBody, readQuery } from '../../input/input';
import { firstOnly, listQuery, page } from '../../input/list';
import { pdfAnswer } from '../../../pdf/downloads';
import { param } from '../../input/request';
import { listOf } from '../../schemas/list';
import type { Handle, Route } from '../route';

const ListEmails = z.object({
  ...listShape,
  customerId: z.string().optional(),
  invoiceId: z.string().optional(),
  subscriptionId: z.string().optional(),
  kind: EmailJson.shape.kind.optional(),
  status: EmailJson.shape.status.optional(),
  to: z.string().optional().meta({ description: 'Address, in any case.' }),
});

const ListEmailSuppressions = z.object({
  ...listShape,
  email: z.string().optional().meta({ description: 'Address, in any case.' }),
});

const BounceEmail = irreversibleAction({ type: z.enum(['HARD', 'COMPLAINT']) }).meta({
  id: 'BounceEmail',
  examples: [{ type: 'HARD' }],
});

const readSuppression: Handle = async (request, peers) => {
  const wanted = { ...firstOnly, id: param(request, 'id') };
  const { suppressions } = await peers.mail.listEmailSuppressions(wanted, request.context);
  return ok(suppressions.map(toJsonEmailSuppression)[0]);
};

const EmailList = listOf(EmailJson, 'EmailList');

export const emailRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/emails',
    operation: {
      id: 'listEmails',
      summary: 'List emails, newest first',
      description: 'Lists the emails to your customers, without their content.',
      query: ListEmails,
      answer: { status: 200, schema: EmailList },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListEmails, request);
      const { emails, total } = await peers.mail.listEmails(
        toProtoList(query, { inbox: false }),
        request.context,
      );
      return page(emails, { ...query, total }, toJsonEmail);
    },
  },
  {
    method: 'GET',
    path: '/emails/:id',
    operation: {
      id: 'getEmail',
      summary: 'Get an email',
      answer: { status: 200, schema: EmailJson },
      errors: ['email_not_found'],
    },
    handle: async (request, peers) => {
      const { email } = await peers.mail.getEmail({ id: param(request, 'id') }, request.context);
      return ok(toJsonEmail(present(email)));
    },
  },
  {
    method: 'GET',
    path: '/emails/:id/attachments/:filename',
    operation: {
      id: 'getEmailAttachment',
      summary: 'Download an attachment of an email',
      description:
        'Returns the file, rendered from the data that the email was created from. Its name is in `content.attachments`. Another release may render other bytes.',
      answer: { status: 200, mediaTypes: ['application/pdf'] },
      errors: ['email_not_found'],
    },
    handle: async (request, peers) => {
      const filename = param(request, 'filename');
      const wanted = { id: param(request, 'id'), filename };
      const { data } = await peers.mail.getEmailAttachment(wanted, request.context);
      return pdfAnswer(Buffer.from(data), filename.replace(/\.pdf$/, ''));
    },
  },
  {
    method: 'POST',
    path: '/emails/:id/resend',
    operation: {
      id: 'resendEmail',
      summary: 'Send an email again',
      description:
        'Creates an email with the same content to the current address of the customer. In a live environment this requires a mail server.',
      answer: { status: 201, schema: EmailJson },
      errors: ['email_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const answer = await peers.mail.resendEmail({ id: param(request, 'id') }, request.context);
      const email = present(answer.email);
      return created(`/emails/${email.id}`, toJsonEmail(email));
    },
  },
  {
    method: 'POST',
    path: '/invoices/:id/send',
    operation: {
      id: 'sendInvoice',
      summary: 'Send an invoice by email',
      description:
        'Sends an open invoice, or the receipt of a paid one, also where emails of the kind are switched off. In a live environment this requires a mail server.',
      answer: { status: 201, schema: EmailJson },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const invoiceId = param(request, 'id');
      const answer = await peers.mail.sendInvoiceEmail({ invoiceId }, request.context);
      const email = present(answer.email);
      return created(`/emails/${email.id}`, toJsonEmail(email));
    },
  },
  {
    method: 'POST',
    path: '/emails/:id/bounce',
    operation: {
      id: 'bounceEmail',
      summary: 'Record a bounce',
      description:
        'Records that the address refused the email. Later emails to the address are not sent until you delete its suppression.',
      body: BounceEmail,
      answer: { status: 200, schema: EmailJson },
      errors: ['email_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { type } = readBody(BounceEmail, request);
      const { email } = await peers.mail.recordBounce(
        { id: param(request, 'id'), type: bounceTypes.valueOf(type) },
        request.context,
      );
      return ok(toJsonEmail(present(email)));
    },
  },
  {
    method: 'GET',
    path: '/email-suppressions',
    operation: {
      id: 'listEmailSuppressions',
      summary: 'List suppressed addresses, newest first',
      description: 'Lists the addresses that refused an email. No email is sent to them.',
      query: ListEmailSuppressions,
      answer: { status: 200, schema: listOf(EmailSuppressionJson, 'EmailSuppressionList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListEmailSuppressions, request);
      const { suppressions, total } = await peers.mail.listEmailSuppressions(
        listQuery(query),
        request.context,
      );
      return page(suppressions, { ...query, total }, toJsonEmailSuppression);
    },
  },
  {
    method: 'DELETE',
    path: '/email-suppressions/:id',
    operation: {
      id: 'deleteEmailSuppression',
      summary: 'Delete a suppression',
      description: 'Allows emails to the address again.',
      answer: { status: 204 },
      errors: ['email_suppression_not_found'],
    },
    handle: async (request, peers) => {
      await peers.mail.deleteEmailSuppression({ id: param(request, 'id') }, request.context);
      return { status: 204 };
    },
    readFormer: readSuppression,
  },
  {
    method: 'GET',
    path: '/sandboxes/inbox',
    operation: {
      id: 'listInbox',
      summary: 'List the inbox of a sandbox, newest first',
      description:
        'Lists the emails of the sandbox with their content. Emails of sandboxes are never sent to a mail server. Requires a sandbox key.',
      query: ListEmails,
      answer: { status: 200, schema: EmailList },
      errors: ['conflict'],
    },
    handle: async (request, peers) => {
      const query = readQuery(ListEmails, request);
      const { emails, total } = await peers.mail.listEmails(
        toProtoList(query, { inbox: true }),
        request.context,
      );
      return page(emails, { ...query, total }, toJsonEmail);
    },
  },
];

function toProtoList(query: z.infer<typeof ListEmails>, { inbox }: { readonly inbox: boolean }) {
  const { kind, status, ...rest } = listQuery(query);
  return {
    ...rest,
    kind: kind && emailKinds.valueOf(kind),
    status: status && emailStatuses.valueOf(status),
    inbox,
  };
}
