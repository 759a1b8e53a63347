import { useState } from 'react';
import { readFile } from '../../api/file';
import { useEnvironment } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Button } from '../../parts/buttons';
import { keepFile } from '../../parts/data-table';
import { ConfirmButton, DialogButton } from '../../parts/dialog';
import { Form, TextField } from '../../parts/form';
import { ErrorNotice } from '../../parts/notices';
import { moneyText } from '../../parts/text';
import {
  chargeRefusal,
  type Invoice,
  invoiceName,
  type InvoicePayment,
  voidRefusal,
} from './invoice';

/** What can be done with an invoice. */
export function InvoiceActions({
  invoice,
  refusal,
  onCharged,
}: {
  invoice: Invoice;
  refusal: string | undefined;
  /** Told what came of an attempt to charge it. */
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
      setState(error instanceof Error ? error : new Error('That did not work'));
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
      title={`Charge ${moneyText(invoice.amountDue, invoice.currency)} now`}
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
          <p>One attempt, now. A failure moves no date of the retries that are planned.</p>
          <TextField
            name="authorizedTransactionId"
            label="Authorised payment"
            hint="Empty: the customer’s saved payment method is charged."
          />
        </Form>
      )}
    </DialogButton>
  );
}

function VoidButton({ invoice, refusal }: { invoice: Invoice; refusal: string | undefined }) {
  const path = `/v1/invoices/${invoice.id}/void`;
  const end = useAction(() => ({ method: 'POST', path, body: {} }));
  return (
    <ConfirmButton
      label="Void"
      title={`Void ${invoiceName(invoice)}?`}
      confirm="Void it"
      refusal={refusal}
      onConfirm={() => end.mutateAsync({})}
    >
      <p>
        {moneyText(invoice.amountDue, invoice.currency)} is owed no more. This cannot be undone.
      </p>
    </ConfirmButton>
  );
}
