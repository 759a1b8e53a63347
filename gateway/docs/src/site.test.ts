import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeWebhooks } from '@billing/gateway/asyncapi';
import { describeApi } from '@billing/gateway/openapi';
import { routes } from '@billing/gateway/routes';
import { buildSite } from './site';

const files = buildSite();
const pages = [...files.keys()].filter((name) => name.endsWith('.html'));
const guides = readdirSync(join(__dirname, '../guides')).map((file) => file.replace('.md', ''));

function textOf(name: string): string {
  return files.get(name) ?? '';
}

test('every operation, schema and kind of webhook is in its reference', () => {
  const operations = textOf('docs/reference.md');
  for (const { operation } of routes) expect(operations).toContain(`(\`${operation.id}\`)`);
  for (const name of Object.keys(describeApi(routes).components?.schemas ?? {})) {
    expect(operations).toContain(`### Schema ${name}\n`);
  }
  for (const type of Object.keys(describeWebhooks().components.messages)) {
    expect(textOf('docs/webhooks.md')).toContain(`## ${type}\n`);
  }
});

test.each(pages.filter((name) => name !== 'docs/404.html'))('%s has a twin in Markdown', (name) => {
  expect(files.has(name.replace('.html', '.md'))).toBe(true);
  expect(textOf(name)).toMatch(/<h1 id="[\w-]+">/);
});

test.each(pages)('%s loads nothing from elsewhere, and has no inline script', (name) => {
  const page = textOf(name);
  expect(page).not.toMatch(/(src|<link[^>]* href)="(https?:)?\/\//);
  for (const [tag] of page.matchAll(/<script\b[^>]*>/g)) expect(tag).toContain(' src="/docs/');
  for (const [, path = ''] of page.matchAll(/(?:src|rel="stylesheet" href)="\/([^"]+)"/g)) {
    expect(files.has(path)).toBe(true);
  }
});

test('the list of pages and the text of all guides name each guide, and are small', () => {
  for (const name of guides) {
    expect(textOf('llms.txt')).toContain(`](/docs/${name}.md): `);
    expect(textOf('llms-full.txt')).toMatch(new RegExp(`^# .+\n\nSource: /docs/${name}\n`, 'm'));
  }
  expect(Buffer.byteLength(textOf('llms-full.txt'))).toBeLessThanOrEqual(400_000);
});

test('the search index has every section of a guide once', () => {
  const { sections } = JSON.parse(textOf('docs/search.json'));
  const paths = sections.map(({ path }: { path: string }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toEqual(expect.arrayContaining(guides.map((name) => `/docs/${name}`)));
});
