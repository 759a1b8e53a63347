import { parseCurrency } from '../currency';
import { parseEmailAddress } from '../email-address';
import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  problemsOfParsing,
} from '../input-problems';
import { type AddressInput, addressProblems } from './address';

const externalIdLengthMax = 255;
const nameLengthMax = 200;
const phoneLengthMax = 40;

/** Fields of a customer that have rules of their own. */
export interface CustomerFields {
  readonly email?: string | undefined;
  readonly externalId?: string | undefined;
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  readonly address?: AddressInput | undefined;
  /** In any case. */
  readonly currency?: string | undefined;
}

/** Problems of each present field of a customer; absent fields are checked elsewhere. */
export function customerProblems(fields: CustomerFields): InputProblems {
  const { email, externalId, name, phone, address, currency } = fields;
  const line = (max: number) => (text: string) => lineProblems(text, { max });
  return {
    email: optionalProblems(email, (text) => problemsOfParsing(() => parseEmailAddress(text))),
    externalId: optionalProblems(externalId, line(externalIdLengthMax)),
    name: optionalProblems(name, line(nameLengthMax)),
    phone: optionalProblems(phone, line(phoneLengthMax)),
    address: optionalProblems(address, addressProblems),
    currency: optionalProblems(currency, (text) => problemsOfParsing(() => parseCurrency(text))),
  };
}
