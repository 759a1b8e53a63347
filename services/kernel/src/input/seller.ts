import { parseEmailAddress } from '../email-address';
import {
  hasControlCharacter,
  controlCharacterProblem,
  type InputProblems,
  lineProblems,
  optionalProblems,
  type Parts,
  problemsOfParsing,
  textProblems,
} from '../input-problems';
import { EU_REGISTRATION } from '../tax/treatment';
import { type TaxId, taxIdsProblems } from '../tax/tax-id';
import { type AddressInput, addressProblems } from './address';
import { type BankAccountInput, bankAccountProblems } from './bank-account';
import { COUNTRIES } from './countries';
import { netDaysProblems } from './net-days';

const textLengthMax = { legalName: 200, contactName: 200, phone: 40, registrationNumber: 50 };
const multilineLengthMax = 500;
const registrationsMax = 50;

/** Decoded size of a logo, and its width and height in pixels. */
export const logoBytesMax = 128 * 1024;
export const logoPixelsMax = 1600;

// Four characters for each started group of three bytes.
const logoTextMax = Math.ceil(logoBytesMax / 3) * 4;
const logoPattern =
  /^data:image\/(?:png|jpeg);base64,(?<data>(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/u;

/** Tax settings of a seller as sent. */
export interface TaxSettingsInput {
  readonly prices: 'EXCLUDE_TAX' | 'INCLUDE_TAX';
  /** Country codes, and `EU` for the one-stop shop. */
  readonly registrations: readonly string[];
}

/** Fields of a seller that have rules of their own. */
export interface SellerFields {
  readonly legalName?: string | undefined;
  readonly contactName?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly address?: AddressInput | undefined;
  readonly taxIds?: readonly TaxId[] | undefined;
  readonly registrationNumber?: string | undefined;
  readonly registrationText?: string | undefined;
  readonly footer?: string | undefined;
  readonly bankAccount?: BankAccountInput | undefined;
  /** Data URL of an image. */
  readonly logo?: string | undefined;
  readonly invoicePrefix?: string | undefined;
  readonly netDays?: number | undefined;
  readonly tax?: TaxSettingsInput | undefined;
}

/** Problems of each present field of a seller. The owner of sellers also decodes the logo. */
export function sellerProblems(fields: Parts<SellerFields>): InputProblems {
  const line = (name: keyof typeof textLengthMax) =>
    optionalProblems(fields[name], (text) => lineProblems(text, { max: textLengthMax[name] }));
  const { email, address, taxIds, bankAccount, logo, netDays, invoicePrefix, tax } = fields;
  return {
    legalName: line('legalName'),
    contactName: line('contactName'),
    email: optionalProblems(email, (text) => problemsOfParsing(() => parseEmailAddress(text))),
    phone: line('phone'),
    address: optionalProblems(address, addressProblems),
    taxIds: optionalProblems(taxIds, taxIdsProblems),
    registrationNumber: line('registrationNumber'),
    registrationText: optionalProblems(fields.registrationText, multilineProblems),
    footer: optionalProblems(fields.footer, multilineProblems),
    bankAccount: optionalProblems(bankAccount, bankAccountProblems),
    logo: optionalProblems(logo, (text) => (isImageText(text) ? [] : ['Invalid image'])),
    invoicePrefix: optionalProblems(invoicePrefix, prefixProblems),
    netDays: optionalProblems(netDays, netDaysProblems),
    tax: optionalProblems(tax?.registrations, registrationProblems),
  };
}

/** Bytes of an image in a data URL that has passed the check. */
export function imageTextOf(logo: string): string {
  return logoPattern.exec(logo)?.groups?.data ?? '';
}

function isImageText(logo: string): boolean {
  return logo.length <= logoTextMax + 30 && logoPattern.test(logo);
}

// Lines are shown as sent; other control characters have no meaning in a text.
function multilineProblems(text: string): string[] {
  const problems = textProblems(text, { max: multilineLengthMax });
  const line = text.replaceAll(/\r?\n/gu, '');
  return hasControlCharacter(line) ? [...problems, controlCharacterProblem] : problems;
}

function prefixProblems(prefix: string): string[] {
  const isValid = /^[A-Z0-9-]{0,11}-$/u.test(prefix) && prefix !== 'CN-';
  return isValid ? [] : ['Invalid prefix'];
}

function registrationProblems(registrations: readonly (string | undefined)[]): string[] {
  if (registrations.length < 1 || registrations.length > registrationsMax) {
    return [`registrations: Must have 1 to ${String(registrationsMax)} items`];
  }
  return registrations.flatMap((code, index) =>
    code === undefined || COUNTRIES.has(code) || code === EU_REGISTRATION
      ? []
      : [`registrations.${String(index)}: Invalid country`],
  );
}
