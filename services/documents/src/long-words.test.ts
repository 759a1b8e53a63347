import { inflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { pdfFonts } from './fonts';
import { cutLongWords } from './long-words';
import { contentWidth, renderPdf } from './pdf-writer';

const letters = 'AVWiljmTo,.';
const word = Array.from({ length: 500 }, (_, index) => letters[(index * index) % 11]).join('');
const frame = {
  ...{ title: 'Test', locale: undefined, date: undefined, logo: undefined },
  isTest: false,
};

function render(text: string): Promise<Buffer> {
  return renderPdf(frame, (writer) => {
    writer.paragraph(text);
  });
}

/** Texts of a document with one font, in the order in which they are drawn. */
function textsOf(bytes: Buffer): string[] {
  const streams = Array.from(
    bytes.toString('latin1').matchAll(/stream\n([\s\S]*?)\nendstream/g),
    ([, data = '']) => Buffer.from(data, 'latin1'),
  ).map((data) => (data[0] === 0x78 ? inflateSync(data).toString('latin1') : ''));
  const map = streams.find((stream) => stream.includes('beginbfrange')) ?? '';
  const ranges = Array.from(map.matchAll(/<\w+> <\w+> \[([^\]]*)\]/g), ([, range = '']) => range);
  const characters = Array.from(ranges.join('').matchAll(/<([^>]*)>/g), ([, codes = '']) =>
    codes === '' ? '' : Buffer.from(codes.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
  );
  return Array.from(streams.join('').matchAll(/\[([^\]]*)\] TJ/g), ([, drawn = '']) =>
    Array.from(drawn.matchAll(/<(\w+)>/g), ([, codes = '']) =>
      Array.from(codes.matchAll(/.{4}/g), ([code]) => characters[parseInt(code, 16)]).join(''),
    ).join(''),
  );
}

function widthOf(text: string): number {
  const { parsed } = pdfFonts(undefined)[0]!.regular();
  return (parsed.layout(text).advanceWidth * 10) / parsed.unitsPerEm;
}

test('a long word is shown whole in lines that fill their column', async () => {
  const texts = textsOf(await render(`First ${word} last`));
  expect(texts.slice(0, -1).join('')).toBe(`First ${word} last`);
  expect(texts.at(-1)).toBe('Page 1 of 1');
  const lines = texts.slice(1, -2).map(widthOf);
  expect(Math.max(...lines)).toBeLessThanOrEqual(contentWidth);
  expect(Math.min(...lines)).toBeGreaterThan(contentWidth * 0.9);
});

test('a long word is measured a few times, however many lines it takes', async () => {
  const measure = jest.spyOn(PDFDocument.prototype, 'widthOfString');
  // The library guesses where a line ends by the average width of the rest of the word.
  await render('i'.repeat(250) + 'W'.repeat(250));
  const sum = measure.mock.calls.reduce((total, [text]) => total + String(text).length, 0);
  measure.mockRestore();
  expect(sum).toBeLessThan(7 * 500);
});

test.each([
  ['words', 'Some plain words that are no longer than others'],
  ['an address', `https://pay.example/invoice/${'a'.repeat(39)}/${'b'.repeat(39)}`],
  ['Japanese', '請求書のダウンロード、'.repeat(20)],
  ['Korean', '주식회사예제'.repeat(20)],
])('%s stay as they are', (_kind, text) => {
  expect(cutLongWords(text, { width: 100, widthOf: ({ length }) => length * 5 })).toBe(text);
});

test('marks stay with their character', () => {
  const widthOf = (text: string) => text.replace(/\p{M}/gu, '').length * 10;
  const marked = 'e\u0301'.repeat(30);
  const cut = cutLongWords(marked, { width: 100, widthOf }).split('\n');
  expect(cut.join('')).toBe(marked);
  expect(cut.every((line) => line.startsWith('e'))).toBe(true);
  expect(cut.length).toBeGreaterThan(1);
});
