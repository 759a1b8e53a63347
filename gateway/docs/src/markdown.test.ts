import { renderMarkdown } from './markdown';

test('headings get ids as on GitHub, and each id once', () => {
  const { html, anchors } = renderMarkdown('# A `POST` & b\n\n## Same\n\n## Same\n');
  expect(anchors).toEqual(['a-post--b', 'same', 'same-1']);
  expect(html).toContain('<h2 id="same-1">Same</h2>');
});

test('a link to the file of a guide leads to its page', () => {
  const { html, links } = renderMarkdown('# A\n\n[b](b.md#c) [d](https://example.com/d.md)\n');
  expect(html).toContain('href="/docs/b#c"');
  expect(html).toContain('href="https://example.com/d.md"');
  expect(links).toEqual(['b.md#c', 'https://example.com/d.md']);
});

test('HTML in Markdown is shown as text', () => {
  expect(renderMarkdown('# A\n\n<script>x</script>\n').html).not.toContain('<script>');
});

test('each section has the text below its heading, code included', () => {
  const { sections } = renderMarkdown('# A\n\none\n\n- two\n\n## B\n\n```ts\nthree();\n```\n');
  expect(sections).toEqual([
    { anchor: 'a', heading: 'A', text: 'one two' },
    { anchor: 'b', heading: 'B', text: 'three();' },
  ]);
});
