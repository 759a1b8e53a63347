import type { Language } from '../locale';
import type { MailKind, MailText } from '../mail-kind';
import { en } from './en';

/** Phrases that the system composes, in ICU MessageFormat. */
export type PhraseKey = keyof typeof en.phrases;

/** All texts of one language. */
export interface Catalogue {
  readonly phrases: Readonly<Record<PhraseKey, string>>;
  readonly mails: Readonly<Record<MailKind, MailText>>;
}

/** Catalogues by language. A language without one is shown in English. */
export const catalogues: Readonly<Partial<Record<Language, Catalogue>>> = { en };

/** Texts for a language. */
export function catalogueOf(language: Language): Catalogue {
  return catalogues[language] ?? en;
}
