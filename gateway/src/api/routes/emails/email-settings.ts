import { z } from 'zod';
import { EmailJson } from '@billing/proto/json/email';
import {
  EmailSettingsJson,
  EmailTemplateJson,
  toJsonEmailSettings,
  toJsonEmailTemplate,
} from '@billing/proto/json/email-settings';
import { emailKinds } from '@billing/proto/values/notifier';
import { notFound } from '@billing/kernel/domain-error';
import { attachesPdf } from '@billing/presentation/mail-kind';
import { mailSenderProblems } from '@billing/presentation/sender-problems';
import { mailTextProblems } from '@billing/presentation/template-problems';
import { ok, present } from '../../../http/answer';
import { optional, readBody } from '../../input/input';
import { changeable, frozen, readPatch, required } from '../../input/patch';
import { type ApiRequest, param } from '../../input/request';
import type { Route } from '../route';

const kinds = z
  .record(
    z.string(),
    z.object({ enabled: optional(z.boolean()), attachPdf: optional(z.boolean()) }),
  )
  .superRefine((changes, context) => {
    for (const [name, { attachPdf }] of Object.entries(changes)) {
      const kind = EmailJson.shape.kind.safeParse(name).data;
      if (kind === undefined) {
        context.addIssue({ code: 'custom', message: `Unknown kind: ${name}` });
      } else if (attachPdf !== undefined && !attachesPdf(kind)) {
        context.addIssue({ code: 'custom', message: `No PDF for ${name}` });
      }
    }
  });

const UpdateEmailSettings = z
  .object({
    fromName: changeable(z.string().max(100)),
    fromAddress: changeable(
      z.string().meta({ description: 'In live, of a domain that the server configuration names.' }),
    ),
    replyTo: changeable(z.string()),
    kinds: required(
      kinds.meta({ description: 'Kinds to change, by name; others stay as they are.' }),
    ),
    serverConfigured: frozen,
    createdAt: frozen,
    updatedAt: frozen,
  })
  .meta({
    id: 'UpdateEmailSettings',
    examples: [
      {
        fromName: 'Acme Billing',
        kinds: { TRIAL_STARTED: { enabled: false }, RECEIPT: { attachPdf: false } },
      },
    ],
  });

const UpdateEmailTemplate = z
  .object({
    subject: required(z.string().max(200)),
    body: required(z.string().max(10_000)),
    kind: frozen,
    language: frozen,
    isDefault: frozen,
    variables: frozen,
    updatedAt: frozen,
  })
  .meta({
    id: 'UpdateEmailTemplate',
    examples: [{ subject: 'Your receipt for {{invoice.number}}' }],
  });

const PreviewEmail = z
  .object({
    kind: EmailJson.shape.kind,
    language: optional(EmailTemplateJson.shape.language),
    subject: optional(z.string()),
    body: optional(z.string()),
    customerId: optional(z.string()),
    invoiceId: optional(z.string()),
    subscriptionId: optional(z.string()),
  })
  .meta({ id: 'PreviewEmail', examples: [{ kind: 'RECEIPT', language: 'en' }] });

const EmailPreview = z
  .object({ subject: z.string(), text: z.string(), html: z.string() })
  .meta({ id: 'EmailPreview' });

export const emailSettingsRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/email-settings',
    operation: {
      id: 'getEmailSettings',
      summary: 'Get the email settings',
      answer: { status: 200, schema: EmailSettingsJson },
    },
    handle: async (request, peers) => {
      const { settings } = await peers.mailSettings.getEmailSettings({}, request.context);
      return ok(toJsonEmailSettings(present(settings)));
    },
  },
  {
    method: 'PATCH',
    path: '/email-settings',
    operation: {
      id: 'updateEmailSettings',
      summary: 'Update the email settings',
      description: 'A kind that is switched off causes no email. Emails that exist are sent.',
      body: UpdateEmailSettings,
      answer: { status: 200, schema: EmailSettingsJson },
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateEmailSettings, request, mailSenderProblems);
      const answer = await peers.mailSettings.updateEmailSettings(
        {
          fromName: input.fromName,
          fromAddress: input.fromAddress,
          replyTo: input.replyTo,
          kinds: toProtoKinds(input.kinds),
          pdfs: toProtoPdfs(input.kinds),
          updateMask: updateMask.filter((path) => path !== 'kinds'),
        },
        request.context,
      );
      return ok(toJsonEmailSettings(present(answer.settings)));
    },
  },
  {
    method: 'GET',
    path: '/email-templates',
    operation: {
      id: 'listEmailTemplates',
      summary: 'List changed email templates',
      description: 'Lists the templates that you have changed, without pages.',
      answer: { status: 200, schema: z.array(EmailTemplateJson) },
    },
    handle: async (request, peers) => {
      const { templates } = await peers.mailSettings.listEmailTemplates({}, request.context);
      return ok(templates.map(toJsonEmailTemplate));
    },
  },
  {
    method: 'GET',
    path: '/email-templates/:kind/:language',
    operation: {
      id: 'getEmailTemplate',
      summary: 'Get an email template',
      answer: { status: 200, schema: EmailTemplateJson },
      errors: ['email_template_not_found'],
    },
    handle: async (request, peers) => {
      const answer = await peers.mailSettings.getEmailTemplate(keyOf(request), request.context);
      return ok(toJsonEmailTemplate(present(answer.template)));
    },
  },
  {
    method: 'PATCH',
    path: '/email-templates/:kind/:language',
    operation: {
      id: 'updateEmailTemplate',
      summary: 'Update an email template',
      description:
        'Values are inserted as text: they are never read as Markdown or HTML. Bodies of emails that ask for something must contain `{{link}}`.',
      body: UpdateEmailTemplate,
      answer: { status: 200, schema: EmailTemplateJson },
      errors: ['email_template_not_found'],
    },
    handle: async (request, peers) => {
      const key = keyOf(request);
      const { input } = readPatch(UpdateEmailTemplate, request, (texts) =>
        mailTextProblems(emailKinds.nameOf(key.kind), texts),
      );
      const { subject, body } = input;
      const answer = await peers.mailSettings.updateEmailTemplate(
        { ...key, subject, body },
        request.context,
      );
      return ok(toJsonEmailTemplate(present(answer.template)));
    },
  },
  {
    method: 'DELETE',
    path: '/email-templates/:kind/:language',
    operation: {
      id: 'deleteEmailTemplate',
      summary: 'Restore a built-in email template',
      answer: { status: 204 },
      errors: ['email_template_not_found'],
    },
    handle: async (request, peers) => {
      await peers.mailSettings.deleteEmailTemplate(keyOf(request), request.context);
      return { status: 204 };
    },
  },
  {
    method: 'POST',
    path: '/email-templates/preview',
    readsOnly: true,
    operation: {
      id: 'previewEmail',
      summary: 'Preview an email',
      description:
        'Renders an email about the given customer, invoice or subscription, or about sample data. Sends and stores nothing.',
      body: PreviewEmail,
      answer: { status: 200, schema: EmailPreview },
      errors: ['customer_not_found', 'invoice_not_found', 'subscription_not_found'],
    },
    handle: async (request, peers) => {
      const { kind, ...shown } = readBody(PreviewEmail, request, (fields) =>
        fields.kind === undefined ? {} : mailTextProblems(fields.kind, fields),
      );
      const { subject, text, html } = await peers.mailSettings.previewEmail(
        { ...shown, kind: emailKinds.valueOf(kind) },
        request.context,
      );
      return ok({ subject, text, html });
    },
  },
];

function keyOf(request: ApiRequest) {
  const kind = EmailJson.shape.kind.safeParse(param(request, 'kind'));
  if (!kind.success) throw notFound('Email template');
  return { kind: emailKinds.valueOf(kind.data), language: param(request, 'language') };
}

function toProtoKinds(changes: z.infer<typeof kinds> | undefined) {
  return Object.entries(changes ?? {}).flatMap(([name, { enabled }]) =>
    enabled === undefined ? [] : [{ kind: kindOf(name), enabled }],
  );
}

function toProtoPdfs(changes: z.infer<typeof kinds> | undefined) {
  return Object.entries(changes ?? {}).flatMap(([name, { attachPdf: attached }]) =>
    attached === undefined ? [] : [{ kind: kindOf(name), attached }],
  );
}

function kindOf(name: string) {
  return emailKinds.valueOf(EmailJson.shape.kind.parse(name));
}
