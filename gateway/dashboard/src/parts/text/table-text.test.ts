import { csvName, toCopiedText, toCsv } from './table-text';

const columns = [
  { title: 'Name', text: ({ name }: { name: string }) => name },
  { title: 'Length', text: ({ name }: { name: string }) => String(name.length) },
];
const csvOf = (name: string) => toCsv([columns[0]!], [{ name }]).split('\r\n')[1];

test('a table is exported with titles and escaped commas and quotes', () => {
  expect(toCsv(columns, [{ name: 'Ada' }, { name: 'a, "b"' }])).toBe(
    'Name,Length\r\nAda,3\r\n"a, ""b""",6\r\n',
  );
});

test('a table is copied as lines with tabs', () => {
  expect(toCopiedText(columns, [{ name: 'two\nlines' }])).toBe('Name\tLength\ntwo lines\t9');
});

test.each([
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ['@SUM(1)', "'@SUM(1)"],
  ['+49 123', "'+49 123"],
  ['-5,000', '"-5,000"'],
  ['-12.50', '-12.50'],
  ['-12.50 USD', '-12.50 USD'],
  ['-1 SUM(A1)', "'-1 SUM(A1)"],
])('the text %s is not exported as a formula: %s', (text, exported) => {
  expect(csvOf(text)).toBe(exported);
});

test('a file is named after its table', () => {
  expect(csvName('Webhook endpoints')).toBe('webhook-endpoints.csv');
});
