import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { printFields, printRows } from './output';
import type { Terminal } from './terminal';

async function printed(work: (terminal: Terminal) => void, isTTY: boolean): Promise<string> {
  const output = Object.assign(new PassThrough(), { isTTY });
  const rest = { input: new PassThrough(), errors: new PassThrough(), env: {} };
  work({ ...rest, output, now: () => new Date(0) });
  output.end();
  return await text(output);
}

const rows = [
  { id: 'a', name: 'Ada', count: 1 },
  { id: 'bb', name: null, count: 20 },
];

test('rows are a table on a terminal', async () => {
  const shown = await printed((terminal) => {
    printRows(terminal, rows, {});
  }, true);
  expect(shown).toBe('id  name  count\na   Ada   1\nbb  -     20\n');
});

test('a table without rows is empty', async () => {
  expect(
    await printed((terminal) => {
      printRows(terminal, [], {});
    }, true),
  ).toBe('');
});

test.each([
  [false, {}],
  [true, { json: true }],
])('rows are lines of JSON in a pipe (%s) and with the flag', async (isTTY, flags) => {
  const shown = await printed((terminal) => {
    printRows(terminal, rows, flags);
  }, isTTY);
  expect(
    shown
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(rows);
});

test('data cannot control the terminal', async () => {
  const shown = await printed((terminal) => {
    printFields(terminal, { name: 'A\u001b[2Jda\nfalse' }, {});
  }, true);
  expect(shown).toBe('name  A [2Jda false\n');
});
