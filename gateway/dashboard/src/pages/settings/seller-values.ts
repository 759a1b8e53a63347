import type { FormValues } from '../../parts/form/form-values';
import { typedCount } from '../../parts/text/amount';
import { typedAddress } from '../../resources/address';
import { typedTaxIds } from '../../resources/tax-ids';

type Values = Pick<FormValues, 'text' | 'optional' | 'has'>;

const texts = [
  'legalName',
  'contactName',
  'email',
  'phone',
  'registrationNumber',
  'registrationText',
  'footer',
] as const;

/** Change of the logo: a data URL, null to remove it, or undefined to keep it. */
export type LogoChange = string | null | undefined;

/** Body of `PATCH /v1/seller` from its form; an empty prefix or number of days gets its default. */
export function typedSeller(values: Values, logo: LogoChange): object {
  return {
    ...Object.fromEntries(texts.map((name) => [name, values.optional(name) ?? null])),
    address: typedAddress(values),
    taxIds: typedTaxIds(values),
    bankAccount: typedBankAccount(values),
    invoicePrefix: values.optional('invoicePrefix') ?? null,
    netDays: typedCount(values.optional('netDays')) ?? null,
    ...(logo !== undefined && { logo }),
  };
}

function typedBankAccount(values: Values): object | null {
  const [holder, iban, bic] = ['holder', 'iban', 'bic'].map((part) =>
    values.optional(`bankAccount.${part}`),
  );
  if (holder === undefined && iban === undefined && bic === undefined) return null;
  return { holder: holder ?? '', iban: iban ?? '', bic: bic ?? null };
}
