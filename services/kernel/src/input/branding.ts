import { parseEmailAddress } from '../email-address';
import {
  type InputProblems,
  optionalProblems,
  problemsOfParsing,
  textProblems,
} from '../input-problems';
import { webAddressProblems } from '../web-address';

const displayNameMax = 100;
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/u;

/** Fields of a branding that have rules of their own. */
export interface BrandingFields {
  readonly displayName?: string | undefined;
  /** `#RRGGBB` in any case. */
  readonly accentColor?: string | undefined;
  readonly supportEmail?: string | undefined;
  readonly supportUrl?: string | undefined;
  readonly termsUrl?: string | undefined;
  readonly privacyUrl?: string | undefined;
}

/** Problems of each present field of a branding. */
export function brandingProblems(fields: BrandingFields): InputProblems {
  const url = (name: 'supportUrl' | 'termsUrl' | 'privacyUrl') =>
    optionalProblems(fields[name], webAddressProblems);
  return {
    displayName: optionalProblems(fields.displayName, nameProblems),
    accentColor: optionalProblems(fields.accentColor, colorProblems),
    supportEmail: optionalProblems(fields.supportEmail, (text) =>
      problemsOfParsing(() => parseEmailAddress(text)),
    ),
    supportUrl: url('supportUrl'),
    termsUrl: url('termsUrl'),
    privacyUrl: url('privacyUrl'),
  };
}

function nameProblems(name: string): string[] {
  const problems = textProblems(name.trim(), { min: 1, max: displayNameMax });
  return lineBreak.test(name.trim()) ? [...problems, 'Must not contain line breaks'] : problems;
}

function colorProblems(color: string): string[] {
  return /^#[0-9A-F]{6}$/iu.test(color) ? [] : ['Must be a colour such as #2447C9'];
}
