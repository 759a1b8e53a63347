import type { CallContext } from '@billing/chassis/call-context';
import { maskedFields } from '@billing/chassis/request-fields';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type Language, languages } from '@billing/presentation/locale';
import {
  attachesPdf,
  type MailKind,
  mailKinds,
  type MailText,
  variablesOf,
} from '@billing/presentation/mail-kind';
import { builtInText } from '@billing/presentation/render-mail';
import { mailTextProblems } from '@billing/presentation/template-problems';
import type { EmailKind } from '@billing/proto/billing/notifier/v1/mail';
import {
  type EmailSettings as ProtoEmailSettings,
  type EmailTemplate as ProtoEmailTemplate,
  type MailSettingsServiceServer,
  MailSettingsServiceService,
  type UpdateEmailSettingsRequest,
} from '@billing/proto/billing/notifier/v1/mail_settings';
import { emailKinds, emailStatuses } from '@billing/proto/values/notifier';
import { mailSettingsCallers } from '../peer/callers';
import { changeEmailSettings, type EmailSettingsChanges } from '../mail-settings/email-settings';
import type { DatedEmailSettings } from '../mail-settings/email-settings-store';
import type {
  EmailTemplate,
  EmailTemplateStore,
  TemplateKey,
} from '../mail-settings/email-template-store';
import type { MailPeers } from '../peer/peers';
import { createPreview } from './create-preview';
import { sendTestEmail, type TestEmailDependencies } from './send-test-email';

export interface MailSettingsDependencies extends TestEmailDependencies {
  readonly templates: EmailTemplateStore;
  readonly peers: MailPeers;
}

/** Implements the calls about settings and texts of mails. */
export function mailSettingsRpc(dependencies: MailSettingsDependencies) {
  const { settings, templates, peers, fromAddress, fromDomains } = dependencies;
  const isConfigured = fromAddress !== undefined;
  const shown = async (key: TemplateKey, { tenant }: CallContext) => ({
    template: toProtoTemplate(key, await templates.find(tenant.environmentId, key)),
  });
  const handlers: AsyncHandlers<MailSettingsServiceServer> = {
    getEmailSettings: async (_request, context) => ({
      settings: toProtoSettings(await settings.read(context), isConfigured),
    }),
    updateEmailSettings: async (request, context) => {
      const changes = fromProtoChanges(request);
      const allowed = context.tenant.live ? fromDomains : undefined;
      const changed = await settings.change(
        (current) => changeEmailSettings(current, changes, allowed),
        context,
      );
      return { settings: toProtoSettings(changed, isConfigured) };
    },
    listEmailTemplates: async (_request, { tenant }) => {
      const found = await templates.list(tenant.environmentId);
      return { templates: found.map((template) => toProtoTemplate(template, template)) };
    },
    getEmailTemplate: (request, context) => shown(keyOf(request), context),
    updateEmailTemplate: async (request, context) => {
      const key = keyOf(request);
      const { subject, body } = request;
      const texts: Partial<MailText> = {
        ...(subject !== undefined && { subject }),
        ...(body !== undefined && { body }),
      };
      refuseProblems(mailTextProblems(key.kind, texts));
      if (Object.keys(texts).length > 0) {
        const change = { texts, now: context.now };
        await templates.change(context.tenant.environmentId, key, change);
      }
      return shown(key, context);
    },
    deleteEmailTemplate: async (request, { tenant }) => {
      await templates.remove(tenant.environmentId, keyOf(request));
      return {};
    },
    previewEmail: async (request, context) => {
      const { language = 'en' } = request;
      const key = keyOf({ ...request, language });
      return createPreview(request, key, { peers, templates, context });
    },
    sendTestEmail: async ({ to }, context) => {
      const { status, reason } = await sendTestEmail(to, context, dependencies);
      return { status: emailStatuses.valueOf(status), reason: reason ?? undefined };
    },
  };
  return rpcService(MailSettingsServiceService, handlers, { callers: mailSettingsCallers });
}

function keyOf(request: { readonly kind: EmailKind; readonly language: string }): TemplateKey {
  const language = languages.find((known) => known === request.language);
  if (language === undefined) throw notFound('Email template');
  return { kind: emailKinds.nameOf(request.kind), language };
}

function fromProtoChanges({
  updateMask,
  kinds,
  pdfs,
  ...request
}: UpdateEmailSettingsRequest): EmailSettingsChanges {
  const fields = {
    fromName: request.fromName ?? null,
    fromAddress: request.fromAddress ?? null,
    replyTo: request.replyTo ?? null,
  };
  return {
    ...maskedFields(fields, updateMask),
    kinds: kinds.map(({ kind, enabled }) => ({ kind: emailKinds.nameOf(kind), enabled })),
    pdfs: pdfs.map(({ kind, attached }) => ({ kind: emailKinds.nameOf(kind), attached })),
  };
}

function toProtoSettings(
  { state, createdAt, updatedAt }: DatedEmailSettings,
  serverConfigured: boolean,
): ProtoEmailSettings {
  const { fromName, fromAddress, replyTo, disabledKinds, kindsWithoutPdf } = state;
  return {
    fromName: fromName ?? undefined,
    fromAddress: fromAddress ?? undefined,
    replyTo: replyTo ?? undefined,
    disabledKinds: mailKinds
      .filter((kind) => disabledKinds.includes(kind))
      .map((kind) => emailKinds.valueOf(kind)),
    pdfs: mailKinds.filter(attachesPdf).map((kind) => ({
      kind: emailKinds.valueOf(kind),
      attached: !kindsWithoutPdf.includes(kind),
    })),
    serverConfigured,
    createdAt,
    updatedAt,
  };
}

function toProtoTemplate(
  { kind, language }: { readonly kind: MailKind; readonly language: Language },
  changed: EmailTemplate | undefined,
): ProtoEmailTemplate {
  const builtIn = builtInText(kind, language);
  return {
    kind: emailKinds.valueOf(kind),
    language,
    subject: changed?.subject ?? builtIn.subject,
    body: changed?.body ?? builtIn.body,
    isDefault: changed === undefined,
    variables: [...variablesOf(kind)],
    updatedAt: changed?.updatedAt,
  };
}
