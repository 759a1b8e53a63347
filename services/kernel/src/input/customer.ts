import { parseCurrency } from '../currency';
import { parseEmailAddress } from '../email-address';
import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  type Parts,
  problemsOfParsing,
} from '../input-problems';
import { type TaxId, taxIdsProblems } from '../tax/tax-id';
import { type AddressInput, addressProblems } from './address';
import { netDaysProblems } from './net-days';

const externalIdLengthMax = 255;

/** Optional single-line texts of a customer that have no other rule, with their maximum lengths. */
const textLengthMax = { name: 200, phone: 40, buyerReference: 100 };

/** Name of such a text. */
export type CustomerText = keyof typeof textLengthMax;

/** Builds a value for each text. */
export function forCustomerTexts<Value>(
  valueOf: (name: CustomerText, lengthMax: number) => Value,
): Record<CustomerText, Value> {
  const entries = Object.entries(textLengthMax) as [CustomerText, number][];
  const values = entries.map(([name, lengthMax]) => [name, valueOf(name, lengthMax)] as const);
  return Object.fromEntries(values) as Record<CustomerText, Value>;
}

/** Fields of a customer that have rules of their own. */
export interface CustomerFields extends Readonly<
  Partial<Record<CustomerText, string | undefined>>
> {
  readonly email?: string | undefined;
  readonly externalId?: string | undefined;
  readonly address?: AddressInput | undefined;
  /** In any case. */
  readonly currency?: string | undefined;
  readonly taxIds?: readonly TaxId[] | undefined;
  /** Days after which sent invoices are due. */
  readonly netDays?: number | undefined;
}

/** Problems of each present field of a customer; absent fields are checked elsewhere. */
export function customerProblems(fields: Parts<CustomerFields>): InputProblems {
  const { email, externalId, address, currency, taxIds, netDays } = fields;
  const line = (max: number) => (text: string) => lineProblems(text, { max });
  return {
    email: optionalProblems(email, (text) => problemsOfParsing(() => parseEmailAddress(text))),
    externalId: optionalProblems(externalId, line(externalIdLengthMax)),
    ...forCustomerTexts((name, max) => optionalProblems(fields[name], line(max))),
    address: optionalProblems(address, addressProblems),
    currency: optionalProblems(currency, (text) => problemsOfParsing(() => parseCurrency(text))),
    taxIds: optionalProblems(taxIds, taxIdsProblems),
    netDays: optionalProblems(netDays, netDaysProblems),
  };
}
