// Line breaks and other controls, and the characters that change the direction of a text: a value
// that contains them could show another text than it is, or begin another header line.
const controls = /[\p{Cc}\u2028\u2029]+/gu;
const directions = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A text that others have written as one line in reading direction. */
export function oneLine(text: string): string {
  return text.replace(controls, ' ').replace(directions, '').trim();
}
