import { useState } from 'react';
import type { toJsonBalance } from '@billing/proto/json/balance';
import type { Page } from '../../api/client';
import { useAction, useResource } from '../../api/queries';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { TimeField } from '../../parts/form/time-field';
import { DialogButton } from '../../parts/overlay/dialog';
import { amountToType, typedAmount } from '../../parts/text/amount';
import { moneyText } from '../../parts/text/text';
import { typedTime } from '../../parts/text/local-time-field';
import {
  type Invoice,
  invoiceName,
  type InvoicePayment,
  outstandingOf,
  settlementRefusal,
} from '../../resources/invoice/invoice';

const methods = [
  ['BANK_TRANSFER', 'Bank transfer'],
  ['CASH', 'Cash'],
  ['CHECK', 'Check'],
  ['OTHER', 'Other'],
  ['BALANCE', 'Customer balance'],
] as const;

/** Button that records money received outside of the payment provider. */
export function RecordPaymentButton({
  invoice,
  refusal,
}: {
  invoice: Invoice;
  refusal: string | undefined;
}) {
  return (
    <DialogButton
      label="Record payment"
      title={`Record a payment of ${invoiceName(invoice)}`}
      tone="quiet"
      refusal={refusal ?? settlementRefusal(invoice)}
    >
      {(close) => <PaymentForm invoice={invoice} onDone={close} />}
    </DialogButton>
  );
}

function PaymentForm({ invoice, onDone }: { invoice: Invoice; onDone: () => void }) {
  const { id, currency } = invoice;
  const outstanding = outstandingOf(invoice);
  const [method, setMethod] = useState('BANK_TRANSFER');
  const [amount, setAmount] = useState(amountToType(outstanding, currency));
  const record = useAction<object, InvoicePayment>(
    (body) => ({ method: 'POST', path: `/v1/invoices/${id}/payments`, body }),
    'Payment recorded',
  );
  const typed = typedAmount(amount, currency);
  const money = typeof typed === 'number' ? ` ${moneyText(typed, currency)}` : '';
  const isBalance = method === 'BALANCE';
  return (
    <Form
      submit={`Record${money}`}
      onCancel={onDone}
      onSubmit={async (values) => {
        await record.mutateAsync({
          amount: typed,
          method,
          reference: values.optional('reference') ?? null,
          receivedAt: typedTime(values.optional('receivedAt')) ?? null,
        });
        onDone();
      }}
    >
      <SelectField
        name="method"
        label="Method"
        choices={methods}
        value={method}
        onChange={setMethod}
      />
      {isBalance && <BalanceText {...{ invoice }} />}
      <TextField
        name="amount"
        label={`Amount in ${currency}`}
        inputMode="decimal"
        autoComplete="off"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        hint={outstandingHint(outstanding, { currency, isBalance })}
      />
      <TextField
        name="reference"
        label="Reference"
        maxLength={200}
        hint="Optional, such as “Statement 7, line 12”."
      />
      {!isBalance && (
        <TimeField name="receivedAt" label="Received at" hint="Optional. Default: now." />
      )}
    </Form>
  );
}

function outstandingHint(
  outstanding: number,
  { currency, isBalance }: { currency: string; isBalance: boolean },
): string {
  const text = `${moneyText(outstanding, currency)} is outstanding.`;
  return isBalance ? text : `${text} More goes to the customer’s balance.`;
}

/** Balance of the customer in the currency of the invoice. */
function BalanceText({ invoice: { customerId, currency } }: { invoice: Invoice }) {
  const query = { customerId, currency };
  const { data } = useResource<Page<ReturnType<typeof toJsonBalance>>>('/v1/balances', { query });
  if (data === undefined) return null;
  const balance = data.data[0]?.balance ?? 0;
  return <p>The balance of the customer is {moneyText(balance, currency)}.</p>;
}
