import { useState } from 'react';
import { isCurrency } from '@billing/kernel/currency';
import type { toJsonBalance, toJsonBalanceEntry } from '@billing/proto/json/balance';
import { useRefusal } from '../../api/environment';
import { type Page } from '../../api/client';
import { useAction, useListed, useResource } from '../../api/queries';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { EmptyState, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { DialogButton } from '../../parts/overlay/dialog';
import { instantColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { typedAmount } from '../../parts/text/amount';
import { moneyText } from '../../parts/text/text';
import { Sentence } from '../../resources/sentence';
import type { CreditNote } from '../../resources/credit/credit-note';
import type { Customer } from '../../resources/customer';
import type { Invoice } from '../../resources/invoice/invoice';
import { adjustment } from './account';
import { balanceSentence } from './activity';

type Balance = ReturnType<typeof toJsonBalance>;
type BalanceEntry = ReturnType<typeof toJsonBalanceEntry>;

const columns: readonly Column<BalanceEntry>[] = [
  instantColumn('Time', ({ createdAt }) => createdAt),
  {
    title: 'Entry',
    text: ({ kind, description }) => description ?? kind,
    cell: (entry) => <EntrySentence entry={entry} />,
  },
  moneyColumn(
    'Amount',
    ({ amount }) => amount,
    ({ currency }) => currency,
  ),
  moneyColumn(
    'Balance',
    ({ balanceAfter }) => balanceAfter,
    ({ currency }) => currency,
  ),
];

/** An entry with links to its documents under their numbers. */
function EntrySentence({ entry }: { entry: BalanceEntry }) {
  const { customerId, invoiceId, creditNoteId } = entry;
  const { data: invoice } = useListed<Invoice>('/v1/invoices', invoiceId ?? '');
  // One request for all rows.
  const { data: notes } = useResource<Page<CreditNote>>('/v1/credit-notes', {
    query: { customerId, perPage: 100 },
    isEnabled: creditNoteId !== null,
  });
  const note = notes?.data.find(({ id }) => id === creditNoteId);
  const numbers = { invoice: invoice?.number ?? null, creditNote: note?.number ?? null };
  return <Sentence of={balanceSentence(entry, numbers)} />;
}

/** Money that the seller owes a customer, with its entries and a form to adjust it. */
export function BalancePanel({ customer }: { customer: Customer }) {
  const { id: customerId } = customer;
  const refusal = useRefusal('balance-entries');
  const balances = useResource<Page<Balance>>('/v1/balances', { query: { customerId } });
  return (
    <Panel
      title="Customer balance"
      actions={
        <DialogButton label="Adjust balance" tone="quiet" refusal={refusal}>
          {(close) => <AdjustmentForm customer={customer} onDone={close} />}
        </DialogButton>
      }
    >
      <Answer of={balances} what="balances" rows={1}>
        {({ data }) =>
          data.length === 0 ? null : (
            <p className="figure-value">
              {data.map(({ balance, currency }) => moneyText(balance, currency)).join(' · ')}
            </p>
          )
        }
      </Answer>
      <ResourceTable<BalanceEntry>
        caption="Balance entries"
        path="/v1/balance-entries"
        hasOrder
        query={{ customerId }}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No balance">
            Amounts that you owe the customer appear here. They pay the next invoices before the
            card is charged.
          </EmptyState>
        }
      />
    </Panel>
  );
}

const directions = [
  ['ADD', 'Add: you owe the customer more'],
  ['TAKE', 'Take: you owe the customer less'],
] as const;

function AdjustmentForm({
  customer: { id: customerId, currency: usual },
  onDone,
}: {
  customer: Customer;
  onDone: () => void;
}) {
  const [direction, setDirection] = useState('ADD');
  const [amount, setAmount] = useState('');
  const [currency, setCurrency] = useState(usual);
  const adjust = useAction<object, BalanceEntry>(
    (body) => ({ method: 'POST', path: '/v1/balance-entries', body }),
    'Balance adjusted',
  );
  const code = currency.trim().toUpperCase();
  const typed = typedAmount(amount, code);
  const isAmount = typeof typed === 'number' && isCurrency(code);
  const money = isAmount ? ` ${moneyText(typed, code)}` : '';
  return (
    <Form
      submit={`${direction === 'TAKE' ? 'Take' : 'Add'}${money}`}
      onCancel={onDone}
      onSubmit={async (values) => {
        await adjust.mutateAsync({
          customerId,
          currency: code,
          amount: adjustment(typed, direction),
          description: values.text('description').trim(),
        });
        onDone();
      }}
    >
      <SelectField
        name="direction"
        label="Change"
        choices={directions}
        value={direction}
        onChange={setDirection}
      />
      <TextField
        name="amount"
        label="Amount"
        inputMode="decimal"
        hint="Such as 25.00"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
      />
      <TextField
        name="currency"
        label="Currency"
        maxLength={3}
        value={currency}
        onChange={(event) => setCurrency(event.target.value)}
      />
      <TextField
        name="description"
        label="Reason"
        maxLength={500}
        hint="Such as “Goodwill after the outage”."
      />
    </Form>
  );
}
