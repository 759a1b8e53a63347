import { Link } from 'wouter';
import { useEnvironment, useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer, Notice } from '../../parts/element/notices';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form, TextField } from '../../parts/form/form';
import { DataTable } from '../../parts/table/data-table';
import {
  type EmailKind,
  emailKindNames,
  emailKinds,
  type EmailSettings,
  type EmailTemplate,
} from '../../resources/email/email';
import { TestEmailButton } from './test-email-button';

/** Sender, kinds and texts of the emails to customers. */
export function EmailSettingsPage() {
  const answer = useResource<EmailSettings>('/v1/email-settings');
  const isLive = useEnvironment().kind === 'LIVE';
  return (
    <PageLayout title="Email">
      <Answer of={answer} what="email settings" rows={8}>
        {(settings) => (
          <>
            <Notice tone={settings.serverConfigured ? 'good' : 'wait'}>
              {settings.serverConfigured
                ? 'A mail server is configured.'
                : 'No mail server is configured: the live environment sends no emails.'}
            </Notice>
            {isLive && settings.serverConfigured && <TestEmailButton />}
            <Panel title="Sender and kinds">
              <SettingsForm key={settings.updatedAt} settings={settings} />
            </Panel>
          </>
        )}
      </Answer>
      <TemplatePanel />
    </PageLayout>
  );
}

function SettingsForm({ settings }: { settings: EmailSettings }) {
  const refusal = useRefusal('email-settings');
  const save = useAction<object, EmailSettings>(
    (body) => ({ method: 'PATCH', path: '/v1/email-settings', body }),
    'Email settings saved',
  );
  const pdfKinds = emailKinds.filter((kind) => settings.kinds[kind].attachPdf !== null);
  return (
    <Form
      submit="Save"
      refusal={refusal}
      onSubmit={(values) => {
        const enabled = values.all('kinds');
        const attached = values.all('pdfs');
        const kinds = emailKinds.map((kind) => [
          kind,
          {
            enabled: enabled.includes(kind),
            ...(pdfKinds.includes(kind) && { attachPdf: attached.includes(kind) }),
          },
        ]);
        return save.mutateAsync({
          fromName: values.optional('fromName') ?? null,
          fromAddress: values.optional('fromAddress') ?? null,
          replyTo: values.optional('replyTo') ?? null,
          kinds: Object.fromEntries(kinds) as object,
        });
      }}
    >
      <TextField
        name="fromName"
        label="Sender name"
        maxLength={100}
        defaultValue={settings.fromName ?? ''}
        hint="Optional. Default: the name of the seller."
      />
      <TextField
        name="fromAddress"
        label="Sender address"
        type="email"
        defaultValue={settings.fromAddress ?? ''}
        hint="Optional. Default: the address of the server configuration."
      />
      <TextField
        name="replyTo"
        label="Reply-to address"
        type="email"
        defaultValue={settings.replyTo ?? ''}
        hint="Optional. Default: the support address."
      />
      <ChoicesField
        name="kinds"
        label="Emails"
        choices={emailKinds}
        labelOf={(kind) => emailKindNames[kind as EmailKind]}
        marked={emailKinds.filter((kind) => settings.kinds[kind].enabled)}
      />
      <ChoicesField
        name="pdfs"
        label="Attach PDF"
        choices={pdfKinds}
        labelOf={(kind) => emailKindNames[kind as EmailKind]}
        marked={pdfKinds.filter((kind) => settings.kinds[kind].attachPdf)}
      />
    </Form>
  );
}

function TemplatePanel() {
  const answer = useResource<readonly EmailTemplate[]>('/v1/email-templates');
  return (
    <Panel title="Templates">
      <Answer of={answer} what="templates" rows={8}>
        {(changed) => (
          <DataTable
            caption="Templates"
            columns={[
              {
                title: 'Email',
                text: (kind) => emailKindNames[kind],
                cell: (kind) => (
                  <Link href={`/settings/email/${kind}/en`}>{emailKindNames[kind]}</Link>
                ),
              },
              {
                title: 'Changed languages',
                text: (kind) => languagesText(changed.filter((one) => one.kind === kind)),
              },
            ]}
            rows={emailKinds}
            rowKey={(kind) => kind}
          />
        )}
      </Answer>
    </Panel>
  );
}

function languagesText(changed: readonly EmailTemplate[]): string {
  return changed.length === 0 ? '–' : changed.map(({ language }) => language).join(', ');
}
