import { useAction } from '../../api/queries';
import { ConfirmButton } from '../../parts/overlay/dialog';
import { moneyText } from '../../parts/text/text';
import { type Invoice, invoiceName, outstandingOf, settlementRefusal } from './invoice';

/** Button that writes off an open invoice. */
export function MarkUncollectibleButton({
  invoice,
  refusal,
}: {
  invoice: Invoice;
  refusal: string | undefined;
}) {
  const { id, currency } = invoice;
  const money = moneyText(outstandingOf(invoice), currency);
  const mark = useAction(
    () => ({ method: 'POST', path: `/v1/invoices/${id}/mark-uncollectible`, body: {} }),
    `${invoiceName(invoice)} marked uncollectible`,
  );
  return (
    <ConfirmButton
      label="Mark uncollectible"
      title={`Write off ${money} of ${invoiceName(invoice)}?`}
      confirm={`Write off ${money}`}
      refusal={refusal ?? settlementRefusal(invoice)}
      onConfirm={() => mark.mutateAsync({})}
    >
      <p>Automatic retries end. The subscription continues, and the invoice can still be paid.</p>
    </ConfirmButton>
  );
}
