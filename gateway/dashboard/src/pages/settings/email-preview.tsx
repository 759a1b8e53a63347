import { useEffect } from 'react';
import { useComputation } from '../../api/queries';
import { Panel } from '../../parts/element/layout';
import { ErrorNotice } from '../../parts/element/notices';
import { EmailFrame } from '../../resources/email/email-frame';

const sample = { kind: 'INVOICE_ISSUED' };

/** A sample email with the saved branding. Emails have one design for light and dark. */
export function EmailPreview() {
  const { mutate, data, error } = useComputation<object, { readonly html: string }>((input) => ({
    method: 'POST',
    path: '/v1/email-templates/preview',
    body: input,
  }));
  useEffect(() => {
    mutate(sample);
  }, [mutate]);
  return (
    <Panel title="Email with the saved branding">
      {error !== null && <ErrorNotice error={error} />}
      {data !== undefined && <EmailFrame html={data.html} title="Preview of an email" />}
    </Panel>
  );
}
