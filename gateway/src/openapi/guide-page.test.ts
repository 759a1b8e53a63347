import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { documentationPolicy } from './frame';
import { guides, renderGuide } from './guide-page';

test('every guide of the folder is served', () => {
  const files = readdirSync(join(__dirname, '../../docs/guides'));
  expect(guides.map(({ name }) => `${name}.md`).sort()).toEqual(files.sort());
});

describe.each(guides)('the guide $name', (guide) => {
  const page = renderGuide(guide);

  test('begins with its title', () => {
    expect(page).toContain(`<main><h1>${guide.title}</h1>`);
  });

  test('shows its code as text', () => {
    expect(page).toMatch(/<pre><code class="language-\w+">/);
    expect(page).not.toContain('```');
  });

  test('needs no script and no external resource', () => {
    expect(page).not.toMatch(/<(script|link|img|iframe)|style=|src=/i);
  });
});

test('the policy of the documentation permits its inline style alone', () => {
  expect(documentationPolicy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+=*';/);
});
