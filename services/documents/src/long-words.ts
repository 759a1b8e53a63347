/** Column of a text in the font of the text. */
export interface Column {
  readonly width: number;
  readonly widthOf: (text: string) => number;
}

// The PDF library breaks shorter words, at little cost.
const charactersMax = 40;
const longRuns = /[^ ]{41,}/g;

// Kerning can widen a line a little.
const fillMax = 0.98;

// Places where the library breaks lines in any case; it breaks others only if a word is too long.
const places =
  /(?<=[-/])(?=[a-z])|(?<=[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3])(?=[あ-おか-ちつ-もやゆよら-ろわ-んア-オカ-チツ-モヤユヨラ-ロワ-ン\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3])/iu;

// A character with its marks. Text of marks without end is cut, too.
const characters = /\P{M}\p{M}{0,8}|\p{M}{1,8}/gu;

/**
 * Cuts words that are wider than a column into lines. The PDF library does that by measuring the
 * rest of a word for each line, which takes seconds for a document of such words.
 */
export function cutLongWords(text: string, column: Column): string {
  return text.replace(longRuns, (run) =>
    run
      .split(places)
      .map((word) => (word.length > charactersMax ? cut(word, column) : word))
      .join(''),
  );
}

function cut(word: string, { width, widthOf }: Column): string {
  const parts = (word.match(characters) ?? []).map((part) => ({ part, own: widthOf(part) }));
  // Shaping does not halve a word, so a much wider one need not be measured as a whole.
  const sum = parts.reduce((total, { own }) => total + own, 0);
  if (sum <= 2 * width && widthOf(word) <= width) return word;
  // The library measures a line with its end.
  const room = width * fillMax - widthOf('\n');
  let used = 0;
  const cutParts = parts.map(({ part, own }) => {
    const isFull = used > 0 && used + own > room;
    used = isFull ? own : used + own;
    return isFull ? `\n${part}` : part;
  });
  return cutParts.join('');
}
