import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Facts, Instant, ShortId, StatusBadge } from '../../parts/element/values';
import { Form, SelectField } from '../../parts/form/form';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { DataTable } from '../../parts/table/data-table';
import { countText } from '../../parts/text/text';
import { CustomerLink } from '../../resources/customer-link';
import { type Email, emailKindNames, reasonText } from '../../resources/email/email';
import { EmailFrame } from '../../resources/email/email-frame';
import { InvoiceLink } from '../../resources/invoice/invoice-link';
import { PdfButton } from '../../resources/invoice/pdf-button';
import { SubscriptionLink } from '../../resources/product-links';

/** Page of one email: details, and the email as its recipient sees it. */
export function EmailPage({ id = '' }: { readonly id?: string }) {
  const answer = useResource<Email>(`/v1/emails/${id}`);
  return (
    <Answer of={answer} what="email">
      {(email) => <EmailView email={email} />}
    </Answer>
  );
}

function EmailView({ email }: { email: Email }) {
  return (
    <PageLayout
      title={email.subject ?? emailKindNames[email.kind]}
      lead={<StatusBadge status={email.status} />}
      back={{ href: '/emails', label: 'Emails' }}
      actions={<EmailActions email={email} />}
    >
      <Panel title="Details">
        <EmailFacts email={email} />
      </Panel>
      {email.content === null ? (
        <Panel title="Content">
          <EmptyState title="No content">The content is not stored.</EmptyState>
        </Panel>
      ) : (
        <EmailContent id={email.id} content={email.content} />
      )}
    </PageLayout>
  );
}

function EmailFacts({ email }: { email: Email }) {
  const { invoiceId, subscriptionId, creditNoteId, resendOf } = email;
  const link = (label: string, path: string, id: string | null) =>
    id === null
      ? []
      : [
          [
            label,
            <Link key={label} href={`${path}/${id}`}>
              {id.slice(0, 8)}
            </Link>,
          ] as const,
        ];
  return (
    <Facts
      facts={[
        ['Kind', emailKindNames[email.kind]],
        ['Customer', <CustomerLink key="customer" id={email.customerId} />],
        ['To', email.to ?? '–'],
        ['From', email.from],
        ['Reply to', email.replyTo ?? '–'],
        ['Language', email.locale],
        ['Reason', reasonText(email)],
        ['Attempts', countText(email.attempts)],
        ['Created', <Instant key="created" at={email.createdAt} />],
        ['Sent', <Instant key="sent" at={email.sentAt} />],
        ...(invoiceId === null
          ? []
          : [['Invoice', <InvoiceLink key="invoice" id={invoiceId} />] as const]),
        ...link('Credit note', '/credit-notes', creditNoteId),
        ...(subscriptionId === null
          ? []
          : [
              [
                'Subscription',
                <SubscriptionLink key="subscription" id={subscriptionId} />,
              ] as const,
            ]),
        ...link('Sent again after', '/emails', resendOf),
        ['ID', <ShortId key="id" id={email.id} what="ID" />],
      ]}
    />
  );
}

type Content = NonNullable<Email['content']>;

function EmailContent({ id, content }: { id: string; content: Content }) {
  return (
    <>
      {content.attachments.length > 0 && (
        <Panel title="Attachments">
          <Attachments id={id} attachments={content.attachments} />
        </Panel>
      )}
      <Panel title="HTML">
        <EmailFrame html={content.html} title="HTML of the email" />
      </Panel>
      <Panel title="Text">
        <pre className="email-text">{content.text}</pre>
      </Panel>
      <Panel title="Headers">
        <DataTable
          caption="Headers"
          columns={[
            { title: 'Name', text: ({ name }) => name },
            { title: 'Value', text: ({ value }) => value },
          ]}
          rows={content.headers}
          rowKey={({ name }) => name}
        />
      </Panel>
    </>
  );
}

function Attachments({ id, attachments }: { id: string } & Pick<Content, 'attachments'>) {
  return (
    <DataTable
      caption="Attachments"
      columns={[
        { title: 'File', text: ({ filename }) => filename },
        { title: 'Size', text: ({ size }) => `${countText(Math.ceil(size / 1_024))} KB` },
        {
          title: 'Actions',
          text: () => '',
          cell: ({ filename }) => (
            <PdfButton
              path={`/v1/emails/${id}/attachments/${filename}`}
              name={filename.replace(/\.pdf$/, '')}
              label="Download"
            />
          ),
        },
      ]}
      rows={attachments}
      rowKey={({ filename }) => filename}
    />
  );
}

function EmailActions({ email: { id, kind, status } }: { email: Email }) {
  const refusal = useRefusal('emails');
  const resend = useAction<object, Email>(
    () => ({ method: 'POST', path: `/v1/emails/${id}/resend`, body: {} }),
    (copy) => ({ text: 'Email sent again', href: `/emails/${copy.id}` }),
  );
  const mayBounce = status === 'SENT' || status === 'UNKNOWN';
  return (
    <>
      {kind !== 'PORTAL_LINK' && status !== 'PENDING' && (
        <ConfirmButton
          label="Send again"
          title="Send this email again?"
          tone="main"
          refusal={refusal}
          onConfirm={() => resend.mutateAsync({})}
        >
          A new email with the same content goes to the current address of the customer.
        </ConfirmButton>
      )}
      {mayBounce && <BounceButton id={id} refusal={refusal} />}
    </>
  );
}

function BounceButton({ id, refusal }: { id: string; refusal: string | undefined }) {
  const bounce = useAction<object, Email>(
    (body) => ({ method: 'POST', path: `/v1/emails/${id}/bounce`, body }),
    'Bounce recorded',
  );
  return (
    <DialogButton label="Record bounce" tone="quiet" refusal={refusal}>
      {(close) => (
        <Form
          submit="Record bounce"
          onCancel={close}
          onSubmit={async (values) => {
            await bounce.mutateAsync({ type: values.text('type') });
            close();
          }}
        >
          <p>The address gets no more emails until you delete its suppression.</p>
          <SelectField
            name="type"
            label="Reason"
            choices={[
              ['HARD', 'Address refused the email'],
              ['COMPLAINT', 'Recipient complained'],
            ]}
          />
        </Form>
      )}
    </DialogButton>
  );
}
