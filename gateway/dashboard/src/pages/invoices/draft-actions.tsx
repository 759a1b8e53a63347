import { useLocation } from 'wouter';
import { useAction } from '../../api/queries';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { moneyText } from '../../parts/text/text';
import { type Invoice, invoiceName, type InvoicePayment } from '../../resources/invoice/invoice';
import { DraftForm } from './invoice-form';

/** Actions on the draft of a one-off invoice. */
export function DraftActions({
  draft,
  refusal,
  onCharged,
}: {
  draft: Invoice;
  refusal: string | undefined;
  /** Receives the outcome of a charge attempt. */
  onCharged: (attempt: InvoicePayment | undefined) => void;
}) {
  const [, navigate] = useLocation();
  const path = `/v1/invoices/${draft.id}`;
  const finalize = useAction<object, Invoice>(
    () => ({ method: 'POST', path: `${path}/finalize`, body: {} }),
    (invoice) => ({ text: `${invoiceName(invoice)} finalized` }),
  );
  const discard = useAction(() => ({ method: 'DELETE', path }), 'Draft deleted');
  const money = moneyText(draft.total, draft.currency);
  const isSent = draft.collectionMethod === 'SEND_INVOICE';
  return (
    <>
      <ConfirmButton
        label="Finalize"
        title={`Finalize the invoice of ${money}?`}
        confirm={isSent ? `Invoice ${money}` : `Invoice and charge ${money}`}
        tone="main"
        refusal={refusal}
        onConfirm={async () => {
          const { payments } = await finalize.mutateAsync({});
          onCharged(payments.at(-1));
        }}
      >
        <p>
          The invoice gets its number and can no longer be changed. Taxes are computed again, so the
          total may differ. {!isSent && 'The customer’s saved payment method is charged.'}
        </p>
      </ConfirmButton>
      <DialogButton label="Edit" title="Edit draft" tone="quiet" refusal={refusal}>
        {(close) => <DraftForm draft={draft} onDone={close} />}
      </DialogButton>
      <ConfirmButton
        label="Delete"
        title={`Delete ${invoiceName(draft)}?`}
        confirm="Delete draft"
        refusal={refusal}
        onConfirm={async () => {
          await discard.mutateAsync({});
          navigate('/invoices');
        }}
      >
        <p>A draft has no number, so deleting it leaves no gap.</p>
      </ConfirmButton>
    </>
  );
}
