import { exportedNames } from '@billing/kernel/input/export';
import { addressOf } from '../../api/client';
import { useEnvironment } from '../../api/environment';
import { readFile } from '../../api/file';
import { PageLayout, Panel } from '../../parts/element/layout';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form, SelectField } from '../../parts/form/form';
import { TimeField } from '../../parts/form/time-field';
import { keepFile } from '../../parts/table/data-table';
import { typedTime } from '../../parts/text/local-time-field';

const formats = [
  ['CSV', 'CSV, for spreadsheets'],
  ['NDJSON', 'NDJSON, for programs'],
] as const;

/** Download of all objects of some resources. */
export function ExportPage() {
  const { id: environmentId } = useEnvironment();
  return (
    <PageLayout
      title="Export"
      lead="Download all objects of this environment as a ZIP archive, with one file for each resource."
    >
      <Panel>
        <Form
          submit="Download"
          onSubmit={async (values) => {
            const query = {
              resources: values.all('resources').join(','),
              format: values.text('format'),
              from: typedTime(values.optional('from')),
              to: typedTime(values.optional('to')),
            };
            const file = await readFile(addressOf('/v1/exports/all.zip', query), environmentId);
            keepFile('export.zip', file);
          }}
        >
          <ChoicesField
            name="resources"
            label="Resources"
            hint="Without a choice, the archive has all of them."
            choices={exportedNames}
            labelOf={labelOf}
          />
          <SelectField name="format" label="Format" choices={formats} />
          <TimeField
            name="from"
            label="Created from"
            hint="Optional. For usage events, their timestamp."
          />
          <TimeField name="to" label="Created before" hint="Optional." />
        </Form>
      </Panel>
    </PageLayout>
  );
}

/** `invoice-lines` is shown as `Invoice lines`. */
function labelOf(name: string): string {
  const text = name.replaceAll('-', ' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
