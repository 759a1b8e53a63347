const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const bitsPerLetter = 5;

/** Encodes bytes in the alphabet of RFC 4648, without padding; a multiple of five bytes. */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{5}/g) ?? [];
  return letters.map((five) => alphabet[Number.parseInt(five, 2)] ?? '').join('');
}

/** Decodes text of toBase32. */
export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) =>
    alphabet.indexOf(letter).toString(2).padStart(bitsPerLetter, '0'),
  ).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
