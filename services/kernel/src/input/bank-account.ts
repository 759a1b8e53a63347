import { lineProblems, optionalProblems, type Parts } from '../input-problems';
import { isMod97 } from '../tax/check-digits';

const holderLengthMax = 200;

/** Bank account to which invoices are transferred. */
export interface BankAccount {
  readonly holder: string;
  /** Upper case, without spaces. */
  readonly iban: string;
  /** Upper case; null: not given. */
  readonly bic: string | null;
}

/** Bank account as sent; IBAN and BIC in any case, with or without spaces. */
export interface BankAccountInput {
  readonly holder: string;
  readonly iban: string;
  readonly bic?: string | null | undefined;
}

// Length of an IBAN by country, from the IBAN registry of SWIFT (ISO 13616).
const ibanLengths = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18
  DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23
  IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27
  MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19
  SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/u)
    .map((entry) => [entry.slice(0, 2), Number.parseInt(entry.slice(2), 10)] as const),
);

/** Problems of a bank account, each prefixed with its part unless the text names it. */
export function bankAccountProblems({ holder, iban, bic }: Parts<BankAccountInput>): string[] {
  return [
    ...optionalProblems(holder, (text) =>
      lineProblems(text, { min: 1, max: holderLengthMax }).map((problem) => `holder: ${problem}`),
    ),
    ...(iban === undefined || isIban(plain(iban)) ? [] : ['iban: Invalid IBAN']),
    ...(bic === undefined || bic === null || isBic(plain(bic)) ? [] : ['bic: Invalid BIC']),
  ];
}

/** Bank account in its stored form. Does not check it. */
export function bankAccountOf({ holder, iban, bic }: BankAccountInput): BankAccount {
  return { holder, iban: plain(iban), bic: bic === undefined || bic === null ? null : plain(bic) };
}

function plain(text: string): string {
  return text.replaceAll(/\s/gu, '').toUpperCase();
}

function isIban(iban: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/u.test(iban)) return false;
  if (ibanLengths.get(iban.slice(0, 2)) !== iban.length) return false;
  return isMod97(iban.slice(4) + iban.slice(0, 4));
}

function isBic(bic: string): boolean {
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/u.test(bic);
}
