import { useState } from 'react';
import { useAction } from '../../api/queries';
import { Form, SelectField, TextAreaField, TextField } from '../../parts/form/form';
import type { Invoice } from '../../resources/invoice/invoice';
import { CustomerField } from '../../resources/pickers';
import {
  changedDraft,
  emptyLine,
  isAmountLine,
  lineRows,
  typedLines,
  typedTerms,
} from './invoice-values';
import { LineTable } from './line-table';

const collectionMethods = [
  ['SEND_INVOICE', 'Send invoice'],
  ['CHARGE_AUTOMATICALLY', 'Charge automatically'],
] as const;

/** Form for a new one-off invoice, which begins as a draft. */
export function NewInvoiceForm({
  onCancel,
  onCreated,
}: {
  onCancel: () => void;
  onCreated: (invoice: Invoice) => void;
}) {
  const create = useAction<object, Invoice>(
    (body) => ({ method: 'POST', path: '/v1/invoices', body }),
    'Draft created',
  );
  const [typedCurrency, setCurrency] = useState<string>();
  const [usualCurrency, setUsualCurrency] = useState('');
  return (
    <Form
      submit="Create draft"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const currency = values.text('currency').trim().toUpperCase();
        onCreated(
          await create.mutateAsync({
            customerId: values.text('customerId'),
            currency,
            lines: typedLines(values, { currency }),
            ...typedTerms(values),
          }),
        );
      }}
    >
      <CustomerField onChoose={({ currency }) => setUsualCurrency(currency)} />
      <TextField
        name="currency"
        label="Currency"
        maxLength={3}
        value={typedCurrency ?? usualCurrency}
        onChange={(event) => setCurrency(event.target.value)}
      />
      <LineTable rows={[emptyLine]} />
      <TermsFields />
    </Form>
  );
}

/** Form that changes a draft. */
export function DraftForm({ draft: stored, onDone }: { draft: Invoice; onDone: () => void }) {
  // The form compares with the draft as it was when the form opened, not with later reads.
  const [draft] = useState(stored);
  const save = useAction<object, Invoice>(
    (body) => ({ method: 'PATCH', path: `/v1/invoices/${draft.id}`, body }),
    'Draft saved',
  );
  return (
    <Form
      submit="Save"
      onCancel={onDone}
      onSubmit={async (values) => {
        await save.mutateAsync(changedDraft(values, draft));
        onDone();
      }}
    >
      <LineTable
        rows={lineRows(draft)}
        amountLines={draft.lineItems.filter(isAmountLine).map(({ id }) => id)}
      />
      <TermsFields draft={draft} />
    </Form>
  );
}

function TermsFields({ draft }: { draft?: Invoice }) {
  return (
    <>
      <SelectField
        name="collectionMethod"
        label="Collection"
        choices={collectionMethods}
        {...(draft !== undefined && { defaultValue: draft.collectionMethod })}
      />
      <TextField
        name="netDays"
        label="Net days"
        inputMode="numeric"
        hint={
          draft === undefined
            ? 'Optional. Days until a sent invoice is due. Default: those of the customer or the seller.'
            : 'Optional. Default: unchanged.'
        }
      />
      <TextField
        name="purchaseOrder"
        label="Purchase order"
        maxLength={50}
        defaultValue={draft?.purchaseOrder ?? ''}
        hint="Optional. Order number of the customer."
      />
      <TextAreaField
        name="memo"
        label="Memo"
        rows={2}
        defaultValue={draft?.memo ?? ''}
        hint="Optional. Shown on the invoice."
      />
    </>
  );
}
