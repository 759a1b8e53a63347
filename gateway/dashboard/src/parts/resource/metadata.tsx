import { useAction } from '../../api/queries';
import { DataTable } from '../table/data-table';
import { DialogButton } from '../overlay/dialog';
import { Form, TextAreaField } from '../form/form';
import { EmptyState, Panel } from '../element/layout';
import {
  type Metadata,
  metadataToType,
  metadataValueText,
  typedMetadata,
} from '../text/metadata-text';

/** Metadata of a resource, editable if `path` accepts PATCH. */
export function MetadataPanel({
  metadata,
  path,
  refusal,
}: {
  metadata: Metadata;
  /** Path of the resource, such as `/v1/customers/…`; absent: read-only. */
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
      actions={path !== undefined && <EditMetadata {...{ metadata, path, refusal }} />}
    >
      {rows.length === 0 ? (
        <EmptyState title="No metadata">
          Store your own data, such as an ID in another system.
        </EmptyState>
      ) : (
        <DataTable caption="Metadata" {...{ columns, rows }} rowKey={({ key }) => key} />
      )}
    </Panel>
  );
}

/** Metadata in a cell of a table: one line an entry. */
export function MetadataLines({ metadata }: { metadata: Metadata }) {
  return Object.entries(metadata).map(([key, value]) => (
    <div key={key} className="faint">
      {key}: {metadataValueText(value)}
    </div>
  ));
}

/** Field whose lines `typedMetadata` reads. */
export function MetadataField({ rows, metadata = {} }: { rows: number; metadata?: Metadata }) {
  return (
    <TextAreaField
      name="metadata"
      label="Metadata"
      rows={rows}
      hint="One “key: value” per line. Put numbers, true, false and null in quotes to store them as text."
      defaultValue={metadataToType(metadata)}
    />
  );
}

function EditMetadata({
  metadata,
  path,
  refusal,
}: {
  metadata: Metadata;
  path: string;
  refusal: string | undefined;
}) {
  const change = useAction((body: object) => ({ method: 'PATCH', path, body }), 'Metadata saved');
  return (
    <DialogButton label="Edit metadata" tone="quiet" refusal={refusal}>
      {(close) => (
        <Form
          submit="Save"
          onCancel={close}
          onSubmit={async (values) => {
            await change.mutateAsync({ metadata: typedMetadata(values.text('metadata')) });
            close();
          }}
        >
          <MetadataField rows={8} metadata={metadata} />
        </Form>
      )}
    </DialogButton>
  );
}
