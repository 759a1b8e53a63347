import { useState } from 'react';
import { readFile } from '../../api/file';
import { useEnvironment } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Button } from '../../parts/buttons';
import { keepFile } from '../../parts/data-table';
import { ConfirmButton, DialogButton } from '../../parts/dialog';
import { Form, TextField } from '../../parts/form';
import { ErrorNotice, Notice } from '../../parts/notices';
import { moneyText } from '../../parts/text';
import { attemptText, chargeRefusal, type Invoice, invoiceName, voidRefusal } from './invoice';

/** What can be done with an invoice. */
export function InvoiceActions({
  invoice,
  refusal,
}: {
  invoice: Invoice;
  refusal: string | undefined;
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
      <Charge invoice={invoice} refusal={refusal ?? chargeRefusal(invoice)} />
      {status === 'OPEN' && (
        <VoidButton invoice={invoice} refusal={refusal ?? voidRefusal(invoice)} />
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

/** The way to charge an open invoice, and what came of it afterwards. */
function Charge({ invoice, refusal }: { invoice: Invoice; refusal: string | undefined }) {
  const [outcome, setOutcome] = useState<Invoice>();
  const charge = useAction<object, Invoice>((body) => ({
    method: 'POST',
    path: `/v1/invoices/${invoice.id}/pay`,
    body,
  }));
  const last = outcome?.payments.at(-1);
  return (
    <>
      {last !== undefined && (
        <Notice tone={last.status === 'SUCCEEDED' ? 'good' : 'wait'}>{attemptText(last)}</Notice>
      )}
      {invoice.status === 'OPEN' && (
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
                setOutcome(await charge.mutateAsync({ authorizedTransactionId }));
                close();
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
      )}
    </>
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
