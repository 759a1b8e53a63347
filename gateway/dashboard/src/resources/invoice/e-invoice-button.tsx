import { readFile } from '../../api/file';
import { useEnvironment } from '../../api/environment';
import { Form, SelectField } from '../../parts/form/form';
import { DialogButton } from '../../parts/overlay/dialog';
import { keepFile } from '../../parts/table/data-table';

const forms = {
  UBL: { label: 'UBL', query: 'format=UBL', extension: 'xml' },
  CII: { label: 'CII', query: 'format=CII', extension: 'xml' },
  FACTUR_X: { label: 'Factur-X (PDF)', query: 'format=FACTUR_X', extension: 'pdf' },
  XRECHNUNG: { label: 'XRechnung (UBL)', query: 'format=UBL&profile=XRECHNUNG', extension: 'xml' },
  XRECHNUNG_CII: {
    label: 'XRechnung (CII)',
    query: 'format=CII&profile=XRECHNUNG',
    extension: 'xml',
  },
} as const;

type FormName = keyof typeof forms;

/** Button that downloads the electronic document of an invoice or credit note. */
export function EInvoiceButton({ path, name }: { path: string; name: string }) {
  const { id: environmentId } = useEnvironment();
  return (
    <DialogButton label="E-invoice" title={`Download ${name}`} tone="quiet">
      {(close) => (
        <Form
          submit="Download"
          onCancel={close}
          onSubmit={async (values) => {
            const { query, extension } = forms[values.text('form') as FormName];
            const file = await readFile(`${path}/e-invoice?${query}`, environmentId);
            keepFile(`${name}.${extension}`, file);
            close();
          }}
        >
          <SelectField
            name="form"
            label="Format"
            choices={Object.entries(forms).map(([value, { label }]) => [value, label] as const)}
          />
        </Form>
      )}
    </DialogButton>
  );
}
