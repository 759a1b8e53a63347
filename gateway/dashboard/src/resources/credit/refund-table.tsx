import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { StatusBadge } from '../../parts/element/values';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { DialogButton } from '../../parts/overlay/dialog';
import { instantColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { moneyText, wordsText } from '../../parts/text/text';
import { type Refund, refundText, settleRefusal } from './credit-note';
import { customerColumn } from '../customer-link';

const status: Column<Refund> = {
  title: 'Status',
  text: (refund) => wordsText(refund.status),
  cell: (refund) => <StatusBadge status={refund.status} />,
};
const outcome: Column<Refund> = { title: 'Outcome', text: refundText };
const actions: Column<Refund> = {
  title: 'Actions',
  text: ({ providerRefundId }) => providerRefundId ?? '',
  cell: (refund) =>
    refund.status === 'FAILED' ? <SettleButton refund={refund} /> : <RefundSource {...refund} />,
};
const amount = moneyColumn<Refund>(
  'Amount',
  (refund) => refund.amount,
  ({ currency }) => currency,
);
const time = instantColumn<Refund>('Time', ({ createdAt }) => createdAt);

/** Columns of the refunds of one invoice or credit note. */
export const refundColumns: readonly Column<Refund>[] = [time, status, amount, outcome, actions];

/** Columns of refunds of any invoice. */
export const allRefundColumns: readonly Column<Refund>[] = [
  time,
  customerColumn,
  ...[status, amount, outcome],
  {
    title: 'Invoice',
    text: ({ invoiceId }) => invoiceId,
    cell: ({ invoiceId }) => <Link href={`/invoices/${invoiceId}`}>Invoice</Link>,
  },
  actions,
];

function RefundSource({ creditNoteId }: Pick<Refund, 'creditNoteId'>) {
  return creditNoteId === null ? (
    <span className="faint">Without credit note</span>
  ) : (
    <Link href={`/credit-notes/${creditNoteId}`}>Credit note</Link>
  );
}

const ways = [
  ['PROVIDER', 'Try the refund again'],
  ['BALANCE', 'Add it to the customer’s balance'],
  ['EXTERNAL', 'I have returned it in another way'],
] as const;

const submits: Readonly<Record<string, string>> = {
  PROVIDER: 'Refund',
  BALANCE: 'Add',
  EXTERNAL: 'Record',
};

function SettleButton({ refund }: { refund: Refund }) {
  const refusal = useRefusal('refunds');
  const money = moneyText(refund.amount, refund.currency);
  return (
    <DialogButton
      label="Settle"
      title={`Settle the refund of ${money}`}
      tone="quiet"
      refusal={refusal ?? settleRefusal(refund)}
    >
      {(close) => <SettleForm {...{ refund, money }} onDone={close} />}
    </DialogButton>
  );
}

function SettleForm({
  refund: { id },
  money,
  onDone,
}: {
  refund: Refund;
  money: string;
  onDone: () => void;
}) {
  const [to, setTo] = useState('PROVIDER');
  const settle = useAction<object, Refund>(
    (body) => ({ method: 'POST', path: `/v1/refunds/${id}/settle`, body }),
    (refund) => ({ text: `Refund: ${refundText(refund)}` }),
  );
  return (
    <Form
      submit={`${submits[to] ?? ''} ${money}`}
      onCancel={onDone}
      onSubmit={async (values) => {
        await settle.mutateAsync({ to, reference: values.optional('reference') ?? null });
        onDone();
      }}
    >
      <SelectField name="to" label="Way" choices={ways} value={to} onChange={setTo} />
      {to !== 'PROVIDER' && <p>This is final.</p>}
      <TextField
        name="reference"
        label="Reference"
        maxLength={200}
        hint="Optional, such as “Transfer of 2 May”."
      />
    </Form>
  );
}
