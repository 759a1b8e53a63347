import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction, useComputation, useResource } from '../../api/queries';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer, ErrorNotice } from '../../parts/element/notices';
import { ChoiceFilter } from '../../parts/form/filters';
import { Form, TextAreaField, TextField } from '../../parts/form/form';
import { FormValues } from '../../parts/form/form-values';
import { ConfirmButton } from '../../parts/overlay/dialog';
import { emailKindNames, type EmailTemplate } from '../../resources/email/email';
import { EmailFrame } from '../../resources/email/email-frame';

const languages = [
  ['en', 'English'],
  ['de', 'German'],
  ['fr', 'French'],
  ['it', 'Italian'],
  ['es', 'Spanish'],
  ['pt', 'Portuguese'],
  ['nl', 'Dutch'],
  ['pl', 'Polish'],
  ['ja', 'Japanese'],
  ['zh', 'Chinese'],
] as const;

const previewDelayMs = 400;

/** Text of a kind of email in a language, with a preview. */
export function EmailTemplatePage({
  kind = '',
  language = 'en',
}: {
  readonly kind?: string;
  readonly language?: string;
}) {
  const [, navigate] = useLocation();
  const answer = useResource<EmailTemplate>(`/v1/email-templates/${kind}/${language}`);
  return (
    <Answer of={answer} what="text">
      {(template) => (
        <PageLayout
          title={emailKindNames[template.kind]}
          lead={template.isDefault ? 'Built-in text' : 'Changed text'}
          back={{ href: '/settings/email', label: 'Email' }}
          actions={!template.isDefault && <RestoreButton template={template} />}
        >
          <div className="filters">
            <ChoiceFilter
              hasAll={false}
              label="Language"
              choices={languages}
              value={language}
              onChange={(chosen) => {
                navigate(`/settings/email/${kind}/${chosen}`);
              }}
            />
          </div>
          <TemplateEditor key={`${language} ${template.updatedAt ?? ''}`} template={template} />
        </PageLayout>
      )}
    </Answer>
  );
}

function TemplateEditor({ template }: { template: EmailTemplate }) {
  const { kind, language, variables } = template;
  const refusal = useRefusal('email-templates');
  const editor = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState({ subject: template.subject, body: template.body });
  const save = useAction<object, EmailTemplate>(
    (body) => ({ method: 'PATCH', path: `/v1/email-templates/${kind}/${language}`, body }),
    'Text saved',
  );
  const read = () => {
    const form = editor.current?.querySelector('form');
    if (!form) return;
    const values = new FormValues(new FormData(form));
    setTyped({ subject: values.text('subject'), body: values.text('body') });
  };
  return (
    <div className="panels">
      <Panel title="Text">
        <div ref={editor} onInput={read}>
          <Form
            submit="Save"
            refusal={refusal}
            onSubmit={(values) =>
              save.mutateAsync({ subject: values.text('subject'), body: values.text('body') })
            }
          >
            <TextField
              name="subject"
              label="Subject"
              maxLength={200}
              defaultValue={template.subject}
            />
            <TextAreaField
              name="body"
              label="Body"
              rows={18}
              defaultValue={template.body}
              hint="# heading, - list, **bold**, [text](address). A paragraph that is one link to {{link}} is a button."
            />
          </Form>
          <p className="faint">
            Variables: {variables.map((name) => `{{${name}}}`).join(', ')}. Text in{' '}
            {'{{#name}}…{{/name}}'} is shown where the variable has a value.
          </p>
        </div>
      </Panel>
      <PreviewPanel kind={kind} language={language} {...typed} />
    </div>
  );
}

interface Preview {
  readonly subject: string;
  readonly html: string;
}

/** Preview of what is typed, a moment after the last key. */
function PreviewPanel(shown: {
  readonly kind: string;
  readonly language: string;
  readonly subject: string;
  readonly body: string;
}) {
  const { kind, language, subject, body } = shown;
  const { mutate, data, error } = useComputation<object, Preview>((input) => ({
    method: 'POST',
    path: '/v1/email-templates/preview',
    body: input,
  }));
  useEffect(() => {
    const timer = setTimeout(() => {
      mutate({ kind, language, subject, body });
    }, previewDelayMs);
    return () => {
      clearTimeout(timer);
    };
  }, [mutate, kind, language, subject, body]);
  return (
    <Panel title="Preview">
      {error !== null && <ErrorNotice error={error} />}
      {data !== undefined && (
        <>
          <p>
            <strong>{data.subject}</strong>
          </p>
          <EmailFrame html={data.html} title="Preview of the email" />
        </>
      )}
    </Panel>
  );
}

function RestoreButton({ template: { kind, language } }: { template: EmailTemplate }) {
  const refusal = useRefusal('email-templates');
  const restore = useAction(
    () => ({ method: 'DELETE', path: `/v1/email-templates/${kind}/${language}` }),
    'Built-in text restored',
  );
  return (
    <ConfirmButton
      label="Restore"
      title="Restore the built-in text?"
      refusal={refusal}
      onConfirm={() => restore.mutateAsync({})}
    >
      Your text is deleted.
    </ConfirmButton>
  );
}
