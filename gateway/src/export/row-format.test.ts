import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Row, type RowFormat, rowWriters } from './row-format';

function fileOf(format: RowFormat, fields: readonly string[], rows: readonly Row[]): Buffer {
  const { head, line } = rowWriters[format];
  return Buffer.from(head(fields) + rows.map((row) => line(row, fields)).join(''));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('a file of rows', () => {
  test('has one line of JSON for each row', () => {
    const rows = [
      { id: 'a', total: 2900 },
      { id: 'b', total: null },
    ];
    const file = fileOf('NDJSON', ['id', 'total'], rows);
    expect(file).toHaveLength(48);
    expect(sha256(file)).toBe('34e5f469b0b262e338f364d4a5472bcc9365728f3c88ac4c7d997d251ccbfa6d');
  });

  test('has a header and quoted JSON as CSV', () => {
    const rows = [
      { id: 'a', total: 2900, metadata: { k: 1 } },
      { id: 'b', total: null, metadata: {} },
    ];
    const file = fileOf('CSV', ['id', 'total', 'metadata'], rows);
    expect(file).toHaveLength(46);
    expect(sha256(file)).toBe('15606897afb362b42dd3952ae6213139e878a43b6c331c6dbd55d0821bd71ec7');
  });
});

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-3', "'-3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\ttext', "'\ttext"],
  ['\rtext', '"\'\rtext"'],
  ['a=b', 'a=b'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  [-3, '-3'],
  [true, 'true'],
  [null, ''],
  [['=1'], '"[""=1""]"'],
])('CSV shows %j as %j', (value, cell) => {
  expect(rowWriters.CSV.line({ value }, ['value'])).toBe(`${cell}\r\n`);
});

test('CSV cells have the texts that a reader of RFC 4180 finds again', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(texts, (values) => {
      const fields = values.map((_value, index) => String(index));
      const row = Object.fromEntries(values.map((value, index) => [String(index), value]));
      const guarded = values.map((value) => (/^[=+\-@\t\r]/.test(value) ? `'${value}` : value));
      expect(readLine(rowWriters.CSV.line(row, fields))).toEqual(guarded);
    }),
  );
});

/** Reads one record as RFC 4180 describes it. */
function readLine(line: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let cell = '';
    if (line[at] === '"') {
      for (at += 1; ; at += 1) {
        if (line[at] !== '"') cell += line.charAt(at);
        else if (line[at + 1] === '"') cell += line.charAt((at += 1));
        else break;
      }
      at += 1;
    } else {
      while (line[at] !== ',' && line.slice(at) !== '\r\n') cell += line.charAt(at++);
    }
    cells.push(cell);
    if (line.slice(at) === '\r\n') return cells;
    expect(line[at]).toBe(',');
    at += 1;
  }
}
