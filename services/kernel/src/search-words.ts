/** Facts by which a resource is found, other than its id. */
export interface Findable {
  /** Texts found by the beginning of any of their words: a name, an email address, a URL. */
  readonly texts: readonly (string | null | undefined)[];
}

/** Condition on the keys of a resource: it has one of them. Others are found by `matches`. */
export interface KeyCondition {
  readonly keys: readonly string[];
  /** True if every resource with one of the keys matches. */
  readonly isExact: boolean;
}

// Beginnings of 2 to 16 letters are keys. For a longer word of a query, the first 16 letters and
// the beginnings of its last parts are looked up, and the rest is compared.
const prefixLengthMin = 2;
const prefixLengthMax = 16;
const partsMax = 3;
// The first group of a UUID: the minute of a version 7. Fewer characters say less than a day.
const idBeginning = /^[0-9a-f]{8}(?:-[0-9a-f-]*)?$/;
// Marks a key as a whole word; no word contains it.
const endOfWord = ' ';
// Only the beginning of a longer word is compared.
const wordLengthMax = 40;
// Maximum number of words of each text: a write stores each key in an index.
const wordsMax = 16;
// Each further word is one more condition of the query.
const queryWordsMax = 5;
const letterOrDigit = /[\p{L}\p{N}]/u;
const apostrophes = /['’ʼ`]/g;
const marks = /\p{M}/gu;
// Letters that Unicode does not decompose.
const plainLetters: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ς: 'σ',
};
const undecomposed = /[æœøłđðþς]/g;

/**
 * Returns the keys of a resource: the beginnings of its words, and its words as a whole. A word
 * begins at each letter or digit that follows another character, and ends at the next space, so
 * that `ada@example.com` is found by `ada`, by `exam` and by `example.com`.
 */
export function searchKeysOf({ texts }: Findable): string[] {
  const words = wordsOf(texts);
  const prefixes = words.flatMap((word) => {
    const letters = Array.from(word);
    const length = Math.min(letters.length, prefixLengthMax) - prefixLengthMin + 1;
    return Array.from({ length: Math.max(0, length) }, (_, index) =>
      letters.slice(0, prefixLengthMin + index).join(''),
    );
  });
  return [...new Set([...prefixes, ...words.map(wholeKeyOf)])];
}

/**
 * Returns the words of a query, normalized like the words of a resource. A resource matches if each
 * of them begins one of its words.
 */
export function queryWordsOf(query: string): string[] {
  return [...new Set(piecesOf(query).map(cut))].slice(0, queryWordsMax);
}

/** Key of a whole word. */
export function wholeKeyOf(word: string): string {
  return `${word}${endOfWord}`;
}

/** Conditions on resources that have a word beginning with a word of a query: all of them. */
export function beginningWith(word: string): KeyCondition[] {
  const whole = wholeKeyOf(word);
  const length = Array.from(word).length;
  if (length < prefixLengthMin) return [{ keys: [whole], isExact: true }];
  const isExact = length <= prefixLengthMax;
  const parts = isExact ? [] : endingsOf(word).slice(1).filter(isKey).slice(-partsMax);
  return [word, ...parts].map((part) => ({
    keys: [...new Set([beginningOf(part), wholeKeyOf(part), whole])],
    isExact,
  }));
}

/** True if a word of a query may be the beginning of an id: its first group, or more. */
export function isIdBeginning(word: string): boolean {
  return idBeginning.test(word);
}

/** True if one of the keys begins with a word of a query. */
export function matches(keys: readonly string[], word: string): boolean {
  return keys.some((key) => key.startsWith(word));
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
// A shorter word with a letter changed is another word.
const misspelledLengthMin = 4;
const misspelledLengthMax = 16;

/**
 * Returns the words that a word may be a misspelling of: one letter is missing, extra or wrong, or
 * two neighbors are swapped. Empty for a word that is short, or not of the letters a to z.
 */
export function correctionsOf(word: string): string[] {
  const isCorrectable = /^[a-z]+$/.test(word) && word.length >= misspelledLengthMin;
  if (!isCorrectable || word.length > misspelledLengthMax) return [];
  const corrections = new Set<string>();
  for (let at = 0; at <= word.length; at += 1) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    for (const letter of alphabet) {
      corrections.add(`${before}${letter}${after}`);
      if (after !== '') corrections.add(`${before}${letter}${after.slice(1)}`);
    }
    corrections.add(`${before}${after.slice(1)}`);
    corrections.add(`${before}${after.slice(1, 2)}${after.slice(0, 1)}${after.slice(2)}`);
  }
  corrections.delete(word);
  return [...corrections];
}

function wordsOf(texts: readonly (string | null | undefined)[]): string[] {
  const words = texts.flatMap((text) => {
    const ofText = piecesOf(text ?? '')
      .flatMap(endingsOf)
      .map(cut);
    return [...new Set(ofText)].slice(0, wordsMax);
  });
  return [...new Set(words)];
}

/** Parts between spaces, without punctuation around them. */
function piecesOf(text: string): string[] {
  return normalized(text)
    .split(/\s+/u)
    .map((piece) => piece.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((piece) => piece !== '');
}

/** The piece from each beginning of a word to its end. */
function endingsOf(piece: string): string[] {
  const letters = Array.from(piece);
  return letters.flatMap((letter, at) => {
    const isBeginning = letterOrDigit.test(letter) && !letterOrDigit.test(letters[at - 1] ?? ' ');
    return isBeginning ? [letters.slice(at).join('')] : [];
  });
}

/** True unless the letters are too few for a key. */
function isKey(letters: string): boolean {
  return Array.from(letters).length >= prefixLengthMin;
}

/** The longest key that each word beginning with the letters has. */
function beginningOf(letters: string): string {
  return Array.from(letters).slice(0, prefixLengthMax).join('');
}

/** Without case, accents and apostrophes. Upper case comes first, because it expands ß to SS. */
function normalized(text: string): string {
  return text
    .normalize('NFKD')
    .replace(marks, '')
    .replace(apostrophes, '')
    .toUpperCase()
    .toLowerCase()
    .replace(undecomposed, (letter) => plainLetters[letter] ?? letter)
    .normalize('NFC');
}

function cut(word: string): string {
  return Array.from(word).slice(0, wordLengthMax).join('');
}
