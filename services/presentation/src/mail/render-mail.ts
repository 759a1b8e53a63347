import { type BrandColors, brandColors, defaultAccentColor } from '@billing/kernel/brand-colors';
import { catalogueOf } from '../catalogue/catalogue';
import { type Language, languageOf } from '../catalogue/locale';
import {
  type MailKind,
  type MailText,
  type MailValues,
  type MailVariable,
  variablesOf,
} from '../catalogue/mail-kind';
import { oneLine } from '../one-line';
import { phrase, type PhraseKey } from '../phrase';
import { parseBody, type Span } from './body';
import { toHtml } from './mail-html';
import { toText } from './mail-text';
import { insertValues, markVariables } from './template';

/** Content of a mail, before it is rendered. */
export interface MailRequest {
  readonly kind: MailKind;
  /** A supported locale; its language chooses the texts. */
  readonly locale: string;
  /** Formatted in the locale. */
  readonly values: MailValues;
  /** True for a mail of a sandbox, which says so. */
  readonly isTest: boolean;
  /** Absent: the default look. */
  readonly brand?: MailBrand | undefined;
  /** Texts of the seller in place of the built-in ones. */
  readonly changed?: Partial<MailText> | undefined;
}

/** Parts of a branding that mails show in addition to its values. */
export interface MailBrand {
  readonly colors: BrandColors;
  readonly supportUrl: string | undefined;
  readonly termsUrl: string | undefined;
  readonly privacyUrl: string | undefined;
  /** Absent: none. */
  readonly logo?: MailLogo | undefined;
}

/** Image of a seller, a part of the mail. */
export interface MailLogo {
  /** Hash of its bytes, in hexadecimal digits. */
  readonly sha256: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** A rendered mail: one line of subject, and two complete forms of the content. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

// A header of 10,000 characters is refused by some servers.
const subjectMax = 200;

/** The built-in text of a kind of mail in a language. */
export function builtInText(kind: MailKind, language: Language): MailText {
  return catalogueOf(language).mails[kind];
}

/**
 * Renders a mail with the seller's texts, or the built-in ones of the language. Throws for a text
 * that `mailTextProblems` refuses.
 */
export function renderMail(request: MailRequest): RenderedMail {
  const { kind, locale, changed } = request;
  const builtIn = builtInText(kind, languageOf(locale));
  const { subject = builtIn.subject, body = builtIn.body } = changed ?? {};
  return renderTemplate({ subject, body }, variablesOf(kind), request);
}

/** Renders a template whose variables are among the allowed ones. */
export function renderTemplate(
  { subject, body }: MailText,
  allowed: readonly MailVariable[],
  { locale, values, isTest, brand }: Pick<MailRequest, 'locale' | 'values' | 'isTest' | 'brand'>,
): RenderedMail {
  const line = markVariables(subject, values, allowed);
  const shown = shorten(oneLine(insertValues(line.source, line, values)));
  const parts = {
    subject: shown,
    locale,
    blocks: parseBody(markVariables(body, values, allowed), values),
    notice: isTest ? phrase('testMail', locale) : undefined,
    footer: footerOf(values, { locale, brand }),
    colors: brand?.colors ?? brandColors(defaultAccentColor),
    logo: brand?.logo && { ...brand.logo, name: oneLine(values['seller.name'] ?? '') },
  };
  return { subject: shown, text: toText(parts), html: toHtml(parts) };
}

function footerOf(
  values: MailValues,
  { locale, brand }: Pick<MailRequest, 'locale' | 'brand'>,
): Span[][] {
  const seller = oneLine(values['seller.name'] ?? '');
  const email = oneLine(values['seller.supportEmail'] ?? '');
  const hasSeller = String(seller !== '');
  const link = (key: PhraseKey, href: string | undefined) =>
    href === undefined ? [] : [[{ text: phrase(key, locale), isStrong: false, href }]];
  return [
    [plain(phrase('automaticMail', locale, { seller, hasSeller }))],
    ...(email === '' ? [] : [[plain(phrase('contact', locale, { email }))]]),
    ...link('footer.support', brand?.supportUrl),
    ...link('footer.terms', brand?.termsUrl),
    ...link('footer.privacy', brand?.privacyUrl),
  ];
}

function plain(text: string): Span {
  return { text, isStrong: false };
}

function shorten(line: string): string {
  const characters = Array.from(line);
  if (characters.length <= subjectMax) return line;
  return `${characters.slice(0, subjectMax - 1).join('')}…`;
}
