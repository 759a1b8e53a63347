import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { Form, TextField } from '../../parts/form/form';
import { moneyText } from '../../parts/text/text';
import {
  chargeRefusal,
  type Invoice,
  invoiceName,
  type InvoicePayment,
  isIssued,
  isOwed,
  outstandingOf,
  voidRefusal,
} from '../../resources/invoice/invoice';
import { EInvoiceButton } from '../../resources/invoice/e-invoice-button';
import { PdfButton } from '../../resources/invoice/pdf-button';
import { MarkUncollectibleButton } from '../../resources/invoice/write-off';
import { CreditNoteButton } from './credit-note-button';
import { DraftActions } from './draft-actions';
import { RecordPaymentButton } from './record-payment';

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
  const { hostedUrl, status, billingReason, taxStatus } = invoice;
  return (
    <>
      {hostedUrl !== null && (
        <a className="button quiet" href={hostedUrl} target="_blank" rel="noreferrer">
          Hosted page
        </a>
      )}
      {status !== 'DRAFT' && (
        <PdfButton path={`/v1/invoices/${invoice.id}/pdf`} name={invoiceName(invoice)} />
      )}
      {taxStatus === 'FINAL' && status !== 'DRAFT' && status !== 'VOID' && (
        <EInvoiceButton path={`/v1/invoices/${invoice.id}`} name={invoiceName(invoice)} />
      )}
      <SendButton invoice={invoice} />
      {isOwed(invoice) && (
        <>
          <ChargeButton {...{ invoice, onCharged }} refusal={refusal ?? chargeRefusal(invoice)} />
          <RecordPaymentButton {...{ invoice, refusal }} />
        </>
      )}
      {status === 'DRAFT' && billingReason === 'MANUAL' && (
        <DraftActions {...{ refusal, onCharged }} draft={invoice} />
      )}
      {isIssued(invoice) && <CreditNoteButton invoice={invoice} />}
      {status === 'OPEN' && (
        <>
          <MarkUncollectibleButton {...{ invoice, refusal }} />
          <VoidButton invoice={invoice} refusal={refusal ?? voidRefusal(invoice)} />
        </>
      )}
    </>
  );
}

function SendButton({ invoice: { id, status, billingReason } }: { invoice: Invoice }) {
  const refusal = useRefusal('invoices');
  const send = useAction<object, { readonly id: string }>(
    () => ({ method: 'POST', path: `/v1/invoices/${id}/send`, body: {} }),
    (email) => ({ text: 'Email sent', href: `/emails/${email.id}` }),
  );
  const isSendable = status === 'PAID' || (status === 'OPEN' && billingReason !== 'CHECKOUT');
  if (!isSendable) return null;
  const what = status === 'PAID' ? 'receipt' : 'invoice';
  return (
    <ConfirmButton
      label={`Email ${what}`}
      title={`Email the ${what} to the customer?`}
      tone="main"
      refusal={refusal}
      onConfirm={() => send.mutateAsync({})}
    >
      The email goes to the current address of the customer.
    </ConfirmButton>
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
  const money = moneyText(outstandingOf(invoice), invoice.currency);
  return (
    <DialogButton label="Charge now" title={`Charge ${invoiceName(invoice)}`} refusal={refusal}>
      {(close) => (
        <Form
          submit={`Charge ${money}`}
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
