import { languageNames } from '@billing/presentation/locale';
import { catalogues, type Catalogue } from '@billing/presentation/catalogues';

// Dates and amounts of this locale have no Latin letters.
const language = 'ja';

/** Locale of readers of the pseudo-language. */
export const pseudoLocale = 'ja-XA';

/** Replaces a catalogue by a language in which every letter of English is another one. */
export function usePseudoLanguage(): void {
  const english = catalogues.en;
  const phrases = Object.entries(english.phrases).map(([key, text]) => [key, pseudo(text)]);
  const texts = { ...english, phrases: Object.fromEntries(phrases) as Catalogue['phrases'] };
  (catalogues as Record<string, Catalogue>)[language] = texts;
}

/** Replaces the letters of an ICU message, but not its arguments. */
function pseudo(text: string): string {
  let result = '';
  let rest = text;
  while (rest !== '') {
    const start = rest.indexOf('{');
    if (start < 0) return result + otherLetters(rest);
    const end = endOf(rest, start);
    result += otherLetters(rest.slice(0, start)) + argument(rest.slice(start, end));
    rest = rest.slice(end);
  }
  return result;
}

function argument(text: string): string {
  const arms = text.slice(1, -1);
  if (!arms.includes('{')) return text;
  const shown: string[] = [];
  let rest = arms;
  for (let start = rest.indexOf('{'); start >= 0; start = rest.indexOf('{')) {
    const end = endOf(rest, start);
    shown.push(rest.slice(0, start), '{', pseudo(rest.slice(start + 1, end - 1)), '}');
    rest = rest.slice(end);
  }
  return `{${shown.join('')}${rest}}`;
}

function endOf(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '{') depth += 1;
    if (text[index] === '}') depth -= 1;
    if (depth === 0) return index + 1;
  }
  throw new Error(`Unclosed argument: ${text}`);
}

const offset = '\uFF21'.charCodeAt(0) - 'A'.charCodeAt(0);

function otherLetters(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + offset));
}

// Each language is offered under its own name.
const ownNames = languageNames.map(([, name]) => name);

// Names that are the same in every language.
const names = /\b(?:TEST|PDF|Mastercard|USD)\b/g;

/** English words that a page shows in the pseudo-language, without texts from outside. */
export function englishWords(markup: string, outside: string): string[] {
  const own = markup
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/<a [^>]*lang="[^>]*>[^<]*<\/a>/g, '')
    .replace(new RegExp(`>(?:${ownNames.join('|')})(?=\\s|<)`, 'g'), '>')
    .replaceAll(outside, '');
  const attributes = [...own.matchAll(/\s(?:aria-label|alt|title|placeholder)="([^"]*)"/g)];
  const shown = [own.replace(/<[^>]*>/g, '\n'), ...attributes.map(([, text]) => text)].join('\n');
  return (
    shown
      .replace(/&#?\w+;/g, ' ')
      .replace(names, '')
      .match(/[A-Za-z]{2,}/g) ?? []
  );
}
