import { useState } from 'react';
import type { Page } from '../../api/client';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { Answer } from '../../parts/element/notices';
import { CellField, Form, SelectField, TextAreaField, TextField } from '../../parts/form/form';
import { DialogButton } from '../../parts/overlay/dialog';
import { amountToType } from '../../parts/text/amount';
import { moneyText } from '../../parts/text/text';
import {
  type CreditNote,
  creditNoteName,
  type Dispute,
  type Refund,
} from '../../resources/credit/credit-note';
import { type Invoice, invoiceName, settlementRefusal } from '../../resources/invoice/invoice';
import {
  amountsOf,
  type CreditableLine,
  creditableLines,
  type CreditDraft,
  type CreditScope,
  creditTotal,
  refundableOf,
  splitOf,
} from './credit-draft';

const scopes = [
  ['ALL', 'All that is left'],
  ['AMOUNT', 'An amount'],
  ['LINES', 'Chosen lines'],
] as const;

const reasons = [
  ['SERVICE', 'Service: not provided, or not as agreed'],
  ['DUPLICATE', 'Duplicate'],
  ['CANCELLATION', 'Cancellation'],
  ['GOODWILL', 'Goodwill'],
  ['OTHER', 'Other'],
] as const;

const settlements = [
  ['BALANCE', 'To the customer’s balance, which the next invoices use'],
  ['REFUND', 'To the card'],
  ['EXTERNAL', 'You have returned it in another way'],
] as const;

const restTexts: Readonly<Record<string, string>> = {
  BALANCE: 'To the customer’s balance',
  REFUND: 'Refunded to the card',
  EXTERNAL: 'Returned by you',
};

/** Button that credits an invoice; the dialog shows where the money goes. */
export function CreditNoteButton({ invoice }: { invoice: Invoice }) {
  const refusal = useRefusal('credit-notes');
  const isCredited = invoice.amountCredited >= invoice.total;
  return (
    <DialogButton
      label="Credit note"
      title={`Credit ${invoiceName(invoice)}`}
      tone="quiet"
      refusal={
        refusal ??
        settlementRefusal(invoice) ??
        (isCredited ? 'Nothing is left to credit.' : undefined)
      }
    >
      {(close) => <CreditNoteDialog invoice={invoice} onDone={close} />}
    </DialogButton>
  );
}

interface Known {
  readonly creditable: readonly CreditableLine[];
  readonly refundable: number;
}

function CreditNoteDialog({ invoice, onDone }: { invoice: Invoice; onDone: () => void }) {
  const query = { invoiceId: invoice.id, perPage: 100 };
  const notes = useResource<Page<CreditNote>>('/v1/credit-notes', { query });
  const refunds = useResource<Page<Refund>>('/v1/refunds', { query });
  const disputes = useResource<Page<Dispute>>('/v1/disputes', { query });
  return (
    <Answer of={notes} what="credit notes">
      {({ data: issued }) => (
        <Answer of={refunds} what="refunds">
          {({ data: returned }) => (
            <Answer of={disputes} what="disputes">
              {({ data: disputed }) => (
                <CreditNoteForm
                  {...{ invoice, onDone }}
                  known={{
                    creditable: creditableLines(invoice, issued),
                    refundable: refundableOf(invoice, returned, disputed),
                  }}
                />
              )}
            </Answer>
          )}
        </Answer>
      )}
    </Answer>
  );
}

function CreditNoteForm({
  invoice,
  known,
  onDone,
}: {
  invoice: Invoice;
  known: Known;
  onDone: () => void;
}) {
  const { currency } = invoice;
  const { creditable } = known;
  const [draft, setDraft] = useState<CreditDraft>({ scope: 'ALL', amount: '', lines: {} });
  const [settle, setSettle] = useState('BALANCE');
  const issue = useAction<object, CreditNote>(
    (body) => ({ method: 'POST', path: '/v1/credit-notes', body }),
    (note) => ({ text: `${creditNoteName(note)} issued`, href: `/credit-notes/${note.id}` }),
  );
  const total = creditTotal(draft, { creditable, currency });
  return (
    <Form
      submit={total === undefined ? 'Credit' : `Credit ${moneyText(total, currency)}`}
      onCancel={onDone}
      onSubmit={async (values) => {
        await issue.mutateAsync({
          invoiceId: invoice.id,
          ...amountsOf(draft, { creditable, currency }),
          reason: values.text('reason'),
          settle,
          memo: values.optional('memo') ?? null,
        });
        onDone();
      }}
    >
      <SelectField
        name="scope"
        label="Credit"
        choices={scopes}
        value={draft.scope}
        onChange={(scope) => setDraft({ ...draft, scope: scope as CreditScope })}
      />
      {draft.scope === 'AMOUNT' && (
        <TextField
          name="amount"
          label={`Amount in ${currency}, with tax`}
          inputMode="decimal"
          autoComplete="off"
          hint={`At most ${moneyText(leftOf(creditable), currency)}, spread over the lines.`}
          value={draft.amount}
          onChange={(event) => setDraft({ ...draft, amount: event.target.value })}
        />
      )}
      {draft.scope === 'LINES' && <LinesField {...{ creditable, currency, draft, setDraft }} />}
      <SelectField
        name="settle"
        label="Return what is paid"
        choices={settlements}
        value={settle}
        onChange={setSettle}
      />
      <SelectField name="reason" label="Reason" choices={reasons} />
      <TextAreaField name="memo" label="Memo" rows={2} hint="Optional. Shown to the customer." />
      <SplitPreview {...{ invoice, known, total, settle }} />
    </Form>
  );
}

function leftOf(creditable: readonly CreditableLine[]): number {
  return creditable.reduce((sum, { left }) => sum + left, 0);
}

function LinesField({
  creditable,
  currency,
  draft,
  setDraft,
}: {
  creditable: readonly CreditableLine[];
  currency: string;
  draft: CreditDraft;
  setDraft: (draft: CreditDraft) => void;
}) {
  const { lines } = draft;
  const chosen = creditable.filter(({ id }) => Object.hasOwn(lines, id));
  const choose = ({ id, left }: CreditableLine, isChosen: boolean) => {
    const { [id]: _dropped, ...others } = lines;
    const typed = left < 0 ? '' : amountToType(left, currency);
    setDraft({ ...draft, lines: isChosen ? { ...others, [id]: typed } : others });
  };
  return (
    <fieldset className="credit-lines">
      <legend>Lines, with tax</legend>
      {creditable.map((line) => {
        const { id, description, left } = line;
        // The server counts the lines that were sent.
        const place = chosen.indexOf(line);
        return (
          <div key={id}>
            <label className="check">
              <input
                type="checkbox"
                checked={place >= 0}
                onChange={(event) => choose(line, event.target.checked)}
              />{' '}
              <span>
                {description} <span className="faint">{moneyText(left, currency)} left</span>
              </span>
            </label>
            {place >= 0 && left > 0 && (
              <CellField
                name={`lines.${String(place)}.amount`}
                label={`Amount for ${description}`}
                inputMode="decimal"
                autoComplete="off"
                value={lines[id] ?? ''}
                onChange={(event) =>
                  setDraft({ ...draft, lines: { ...lines, [id]: event.target.value } })
                }
              />
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

/** Where the money of a credit note will go. */
function SplitPreview({
  invoice,
  known: { refundable },
  total,
  settle,
}: {
  invoice: Invoice;
  known: Known;
  total: number | undefined;
  settle: string;
}) {
  const { currency } = invoice;
  if (total === undefined) {
    return <p className="faint">Enter an amount to see how it is applied.</p>;
  }
  const { reduced, rest } = splitOf(total, invoice);
  const rows = [
    ['Credit note', total],
    ['Off what is owed', reduced],
    [restTexts[settle] ?? '', rest],
  ] as const;
  const isTooMuch = settle === 'REFUND' && rest > refundable;
  return (
    <div className="split" role="status">
      <dl className="sums">
        {rows.map(([name, amount], index) => (
          <div key={name} className={index === 0 ? 'sum-first' : undefined}>
            <dt>{name}</dt>
            <dd className="number">{moneyText(amount, currency)}</dd>
          </div>
        ))}
      </dl>
      {isTooMuch && <p className="problem">Only {moneyText(refundable, currency)} came by card.</p>}
    </div>
  );
}
