import { renderMarkdown } from './markdown';
import { unmarkedBlocks } from './languages';

function unmarkedIn(path: string, markdown: string): string[] {
  return unmarkedBlocks([{ path, rendered: renderMarkdown(markdown) }]);
}

test.each(['bash', 'ts', 'json', 'text'])('a block of %s is run, parsed or marked', (language) => {
  expect(unmarkedIn('/docs/a', `\`\`\`${language}\n1\n\`\`\``)).toEqual([]);
});

test.each([
  ['without a language', '```\n1\n```', 'no language'],
  ['of another language', '```python\n1\n```', 'python'],
  ['in a list', '1. First:\n\n   ```sh\n   1\n   ```', 'sh'],
  ['that no test loads', '```js\n1\n```', 'js'],
])('a block %s is not', (_name, markdown, found) => {
  expect(unmarkedIn('/docs/a', markdown)).toEqual([`/docs/a: ${found}`]);
});

test('the module of the official client is loaded by its test', () => {
  expect(unmarkedIn('/docs/official-client', '```js\n1\n```')).toEqual([]);
});
