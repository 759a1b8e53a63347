import type { Language } from './locale';
import type { MailKind, MailText } from './mail-kind';
import { de } from './de';
import { en } from './en';
import { es } from './es';
import { fr } from './fr';
import { it } from './it';
import { ja } from './ja';
import { nl } from './nl';
import { pl } from './pl';
import { pt } from './pt';
import { zh } from './zh';

/** Phrases that the system composes, in ICU MessageFormat. */
export type PhraseKey = keyof typeof en.phrases;

/** All texts of one language. */
export interface Catalogue {
  readonly phrases: Readonly<Record<PhraseKey, string>>;
  readonly mails: Readonly<Record<MailKind, MailText>>;
}

/** Catalogues by language. */
export const catalogues: Readonly<Record<Language, Catalogue>> = {
  en,
  de,
  fr,
  it,
  es,
  pt,
  nl,
  pl,
  ja,
  zh,
};

/** Texts for a language. */
export function catalogueOf(language: Language): Catalogue {
  return catalogues[language];
}
