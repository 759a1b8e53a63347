import { z } from 'zod';
import type { EmailSettings, EmailTemplate } from '../gen/billing/notifier/v1/mail_settings';
import { emailKinds } from '../values/notifier';
import { EmailJson } from './email';
import { time, toJsonOptionalTime } from './scalars';

type Kind = z.infer<typeof EmailJson>['kind'];

const kindNames: readonly Kind[] = EmailJson.shape.kind.options;

const EmailKindSettings = z
  .object({
    enabled: z.boolean(),
    attachPdf: z.boolean().nullable().meta({
      description:
        'True: emails have the invoice or credit note as PDF. Null: emails of the kind have none.',
    }),
  })
  .meta({ id: 'EmailKindSettings' });

const kindSettings = Object.fromEntries(
  kindNames.map((name) => [name, EmailKindSettings]),
) as Record<Kind, typeof EmailKindSettings>;

export const EmailSettingsJson = z
  .object({
    fromName: z.string().nullable().meta({ description: 'Null: the name of the seller.' }),
    fromAddress: z
      .string()
      .nullable()
      .meta({ description: 'Null: the address of the server configuration.' }),
    replyTo: z.string().nullable().meta({ description: 'Null: the address of the seller.' }),
    kinds: z.object(kindSettings),
    serverConfigured: z
      .boolean()
      .meta({ description: 'True if a mail server is configured, which live emails need.' }),
    createdAt: time.nullable(),
    updatedAt: time.nullable(),
  })
  .meta({ id: 'EmailSettings' });

/** Settings of mails in REST responses. */
export function toJsonEmailSettings(settings: EmailSettings): z.infer<typeof EmailSettingsJson> {
  const disabled = settings.disabledKinds.map((kind) => emailKinds.nameOf(kind));
  const pdfs = new Map(
    settings.pdfs.map(({ kind, attached }) => [emailKinds.nameOf(kind), attached]),
  );
  return {
    fromName: settings.fromName ?? null,
    fromAddress: settings.fromAddress ?? null,
    replyTo: settings.replyTo ?? null,
    kinds: Object.fromEntries(
      kindNames.map((name) => [
        name,
        { enabled: !disabled.includes(name), attachPdf: pdfs.get(name) ?? null },
      ]),
    ) as z.infer<typeof EmailSettingsJson>['kinds'],
    serverConfigured: settings.serverConfigured,
    createdAt: toJsonOptionalTime(settings.createdAt),
    updatedAt: toJsonOptionalTime(settings.updatedAt),
  };
}

export const EmailTemplateJson = z
  .object({
    kind: EmailJson.shape.kind,
    language: z.enum(['en', 'de', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'ja', 'zh']),
    subject: z.string().meta({ examples: ['Receipt for invoice {{invoice.number}}'] }),
    body: z.string().meta({
      description:
        'Paragraphs, `# heading`, `- list`, `**bold**` and `[text](address)`. A paragraph that is one link to `{{link}}` is a button.',
    }),
    isDefault: z.boolean().meta({ description: 'True for the built-in template.' }),
    variables: z.array(z.string()).meta({
      description:
        'Names for `{{name}}`, and for `{{#name}}…{{/name}}`, which is shown where there is a value.',
    }),
    updatedAt: time.nullable(),
  })
  .meta({ id: 'EmailTemplate' });

/** A template in REST responses. */
export function toJsonEmailTemplate(template: EmailTemplate): z.infer<typeof EmailTemplateJson> {
  return {
    kind: emailKinds.nameOf(template.kind),
    language: EmailTemplateJson.shape.language.parse(template.language),
    subject: template.subject,
    body: template.body,
    isDefault: template.isDefault,
    variables: template.variables,
    updatedAt: toJsonOptionalTime(template.updatedAt),
  };
}
