import { useState } from 'react';
import { readFile } from '../../api/file';
import { useEnvironment } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Button } from '../../parts/element/buttons';
import { keepFile } from '../../parts/table/data-table';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { Form, TextField } from '../../parts/form/form';
import { ErrorNotice } from '../../parts/element/notices';
import { moneyText } from '../../parts/text/text';
import {
  chargeRefusal,
  type Invoice,
  invoiceName,
  type InvoicePayment,
  voidRefusal,
} from '../../resources/invoice';

/** Actions on an invoice. */
export function InvoiceActions({
  invoice,
  refusal,
  onCharged,
}: {
  invoice: Invoice;
  refusal: string | undefined;
  /** Receives the outcome of a charge attempt. */
  onCharged: (attempt: InvoicePayment | undefined) => void;
}) {
  const { hostedUrl, status } = invoice;
  return (
    <>
      {hostedUrl !== null && (
        <a className="button quiet" href={hostedUrl} target="_blank" rel="noreferrer">
          Hosted page
        </a>
      )}
      <PdfButton invoice={invoice} />
      {status === 'OPEN' && (
        <>
          <ChargeButton {...{ invoice, onCharged }} refusal={refusal ?? chargeRefusal(invoice)} />
          <VoidButton invoice={invoice} refusal={refusal ?? voidRefusal(invoice)} />
        </>
      )}
    </>
  );
}

function PdfButton({ invoice }: { invoice: Invoice }) {
  const { id: environmentId } = useEnvironment();
  const [state, setState] = useState<'busy' | Error>();
  const load = async () => {
    setState('busy');
    try {
      const path = `/v1/invoices/${invoice.id}/pdf`;
      keepFile(`${invoiceName(invoice)}.pdf`, await readFile(path, environmentId));
      setState(undefined);
    } catch (error) {
      setState(error instanceof Error ? error : new Error('Something went wrong'));
    }
  };
  return (
    <>
      <Button isBusy={state === 'busy'} onClick={() => void load()}>
        PDF
      </Button>
      {state instanceof Error && <ErrorNotice error={state} />}
    </>
  );
}

function ChargeButton({
  invoice,
  refusal,
  onCharged,
}: {
  invoice: Invoice;
  refusal: string | undefined;
  onCharged: (attempt: InvoicePayment | undefined) => void;
}) {
  const charge = useAction<object, Invoice>((body) => ({
    method: 'POST',
    path: `/v1/invoices/${invoice.id}/pay`,
    body,
  }));
  return (
    <DialogButton
      label="Charge now"
      title={`Charge ${moneyText(invoice.amountDue, invoice.currency)}`}
      refusal={refusal}
    >
      {(close) => (
        <Form
          submit="Charge now"
          onCancel={close}
          onSubmit={async (values) => {
            const authorizedTransactionId = values.optional('authorizedTransactionId') ?? null;
            const { payments } = await charge.mutateAsync({ authorizedTransactionId });
            close();
            onCharged(payments.at(-1));
          }}
        >
          <p>Charges the card once. Scheduled retries stay as they are.</p>
          <TextField
            name="authorizedTransactionId"
            label="Authorized transaction ID"
            hint="Optional. Default: the customer’s saved payment method."
          />
        </Form>
      )}
    </DialogButton>
  );
}

function VoidButton({ invoice, refusal }: { invoice: Invoice; refusal: string | undefined }) {
  const path = `/v1/invoices/${invoice.id}/void`;
  const end = useAction(
    () => ({ method: 'POST', path, body: {} }),
    `${invoiceName(invoice)} voided`,
  );
  return (
    <ConfirmButton
      label="Void"
      title={`Void ${invoiceName(invoice)}?`}
      confirm="Void invoice"
      refusal={refusal}
      onConfirm={() => end.mutateAsync({})}
    >
      <p>
        The customer no longer owes {moneyText(invoice.amountDue, invoice.currency)}. This can’t be
        undone.
      </p>
    </ConfirmButton>
  );
}
