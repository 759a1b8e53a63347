import { examineEach, type Invariant, together } from '../picture/invariant';
import type { EmailPicture, MailTextPicture } from '../picture/mail-picture';

const languages = ['en', 'de', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'ja', 'zh'];

export const mailsSpeakEveryLanguage: Invariant = {
  id: 'I86',
  title: 'every kind of mail has its text in ten languages, and each mail is in its own',
  examine: ({ mail }) => {
    if (mail === undefined) return undefined;
    const { emails, texts } = mail;
    const kinds = Object.keys(mail.settings.kinds);
    const parts = together(
      examineEach(emails, languageProblems),
      examineEach(texts === undefined ? [] : kinds, (kind) =>
        textProblems(kind, new Map(texts?.filter((text) => text.kind === kind).map(byLanguage))),
      ),
    );
    return { ...parts, unseen: texts === undefined ? ['texts of mails in each language'] : [] };
  },
};

function byLanguage(text: MailTextPicture): [language: string, text: MailTextPicture] {
  return [text.language, text];
}

function languageProblems({ id, locale, content }: EmailPicture): (string | false)[] {
  if (content === null) return [];
  const { html, headers } = content;
  const named = headers.find(({ name }) => name === 'Content-Language')?.value;
  const lang = /<html[^>]* lang="([^"]*)"/.exec(html)?.[1];
  return [
    named !== locale && `mail ${id} in ${locale} is announced in ${String(named)}`,
    lang !== locale && `mail ${id} in ${locale} has HTML in ${String(lang)}`,
  ];
}

function textProblems(
  kind: string,
  texts: ReadonlyMap<string, MailTextPicture>,
): (string | false)[] {
  const english = texts.get('en');
  return languages.flatMap((language) => {
    const text = texts.get(language);
    const name = `${kind} in ${language}`;
    if (text === undefined || text.subject === '' || text.body === '')
      return [`${name} has no text`];
    // The texts of sellers are as they want them.
    if (language === 'en' || !text.isDefault || english?.isDefault !== true) return [];
    return [
      (text.subject === english.subject || text.body === english.body) && `${name} is in English`,
      variablesIn(text) !== variablesIn(english) && `${name} shows other values than in English`,
    ];
  });
}

/** Names of the variables of a text. */
function variablesIn({ subject, body }: MailTextPicture): string {
  const names = [...`${subject} ${body}`.matchAll(/\{\{[#/]?([\w.]+)\}\}/g)].map(
    ([, name]) => name,
  );
  return [...new Set(names)].sort().join(' ');
}
