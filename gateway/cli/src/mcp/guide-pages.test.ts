import { readGuidePages, searchGuides } from './guide-pages';

const file = `# Webhooks

Source: /docs/webhooks

Verify each one.

## Signatures

\`\`\`bash
# Source: no heading
curl https://example.com
\`\`\`

# Clocks

Source: /docs/clocks.md

## Advance

Signatures are not needed.
`;

test('each guide has its title, its name and its text', () => {
  const pages = readGuidePages(file);
  expect(pages.map(({ page, title }) => [page, title])).toEqual([
    ['webhooks', 'Webhooks'],
    ['clocks', 'Clocks'],
  ]);
  expect(pages[1]?.text).toBe('# Clocks\n\n## Advance\n\nSignatures are not needed.');
});

test('words in headings are worth more than words in texts', () => {
  const found = searchGuides(readGuidePages(file), 'signatures?');
  expect(found.map(({ page, heading }) => [page, heading])).toEqual([
    ['webhooks', 'Signatures'],
    ['clocks', 'Advance'],
  ]);
  expect(found[0]?.excerpt).toContain('# Source: no heading');
});

test.each(['', '…', 'unrelated'])('%j finds nothing', (query) => {
  expect(searchGuides(readGuidePages(file), query)).toEqual([]);
});
