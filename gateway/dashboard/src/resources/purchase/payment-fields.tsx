import { useState } from 'react';
import { SelectField, TextField } from '../../parts/form/form';
import { authorizedChoice } from './new-subscription';

const choices = [
  ['CUSTOMER', 'Collection method of the customer: saved card or invoice'],
  [authorizedChoice, 'Authorized transaction'],
] as const;

/** How the first invoice is paid. */
export function PaymentFields({
  authorizedTransactionId,
}: {
  /** Chosen at first; null: as set for the customer. */
  authorizedTransactionId: string | null;
}) {
  const [choice, choose] = useState(
    authorizedTransactionId === null ? 'CUSTOMER' : authorizedChoice,
  );
  return (
    <>
      <SelectField
        name="payment"
        label="First payment"
        choices={choices}
        value={choice}
        onChange={choose}
        {...(choice !== authorizedChoice && {
          hint: 'Without a saved card, the customer pays on the invoice page.',
        })}
      />
      {choice === authorizedChoice && (
        <TextField
          name="authorizedTransactionId"
          label="Transaction ID"
          autoComplete="off"
          hint="From the payment provider. Its card is saved for later invoices."
          defaultValue={authorizedTransactionId ?? ''}
        />
      )}
    </>
  );
}
