import { useAction } from '../api/queries';
import { DataTable } from './data-table';
import { DialogButton } from './dialog';
import { Form, TextAreaField } from './form';
import { EmptyState, Panel } from './layout';
import { type Metadata, metadataToType, metadataValueText, typedMetadata } from './metadata-text';

/** What one keeps with a resource, and the way to change it where `path` takes a PATCH of it. */
export function MetadataPanel({
  metadata,
  path,
  refusal,
}: {
  metadata: Metadata;
  /** Of the resource: `/v1/customers/…`; absent: it cannot be changed. */
  path?: string;
  refusal?: string | undefined;
}) {
  const rows = Object.entries(metadata).map(([key, value]) => ({
    key,
    value: metadataValueText(value),
  }));
  type Row = (typeof rows)[number];
  const columns = [
    { title: 'Key', text: ({ key }: Row) => key },
    { title: 'Value', text: ({ value }: Row) => value },
  ];
  return (
    <Panel
      title="Metadata"
      actions={path !== undefined && <ChangeMetadata {...{ metadata, path, refusal }} />}
    >
      {rows.length === 0 ? (
        <EmptyState title="No metadata">
          Your own notes, such as the id of this in another system.
        </EmptyState>
      ) : (
        <DataTable caption="Metadata" {...{ columns, rows }} rowKey={({ key }) => key} />
      )}
    </Panel>
  );
}

function ChangeMetadata({
  metadata,
  path,
  refusal,
}: {
  metadata: Metadata;
  path: string;
  refusal: string | undefined;
}) {
  const change = useAction((body: object) => ({ method: 'PATCH', path, body }));
  return (
    <DialogButton label="Change metadata" tone="quiet" refusal={refusal}>
      {(close) => (
        <Form
          submit="Save"
          onCancel={close}
          onSubmit={async (values) => {
            await change.mutateAsync({ metadata: typedMetadata(values.text('metadata')) });
            close();
          }}
        >
          <TextAreaField
            name="metadata"
            label="Metadata"
            rows={8}
            hint="One line for each: key: value. Numbers, true, false and null count as such; in quotes they are text."
            defaultValue={metadataToType(metadata)}
          />
        </Form>
      )}
    </DialogButton>
  );
}
