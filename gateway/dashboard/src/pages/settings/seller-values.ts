import { type FormValues, isSame } from '../../parts/form/form-values';
import { typedCount } from '../../parts/text/amount';
import { isSameAddress, typedAddress } from '../../resources/address';
import type { Seller } from '../../resources/seller';
import { typedTaxIds } from '../../resources/tax/tax-ids';

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

/**
 * Body of `PATCH /v1/seller` from its form: only fields that differ from the seller that the form
 * was opened with, so that concurrent changes survive. An empty prefix or number of days gets its
 * default.
 */
export function changedSeller(values: Values, logo: LogoChange, seller: Seller): object {
  const typed = {
    ...Object.fromEntries(texts.map((name) => [name, values.optional(name) ?? null])),
    taxIds: typedTaxIds(values),
    bankAccount: typedBankAccount(values),
    invoicePrefix: values.optional('invoicePrefix') ?? null,
    netDays: typedCount(values.optional('netDays')) ?? null,
  };
  const address = typedAddress(values);
  const changes = Object.entries(typed).filter(
    ([name, value]) => !isSame(value, seller[name as keyof Seller]),
  );
  return {
    ...Object.fromEntries(changes),
    ...(!isSameAddress(address, seller.address) && { address }),
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
