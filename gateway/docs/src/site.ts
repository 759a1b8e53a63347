import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWebhooks } from '@billing/gateway/asyncapi';
import { describeApi } from '@billing/gateway/openapi';
import { routes } from '@billing/gateway/routes';
import { describeOperations } from './api-reference';
import { guideGroups } from './guides';
import { unmarkedBlocks } from './languages';
import { brokenLinks } from './links';
import { type Rendered, renderMarkdown } from './markdown';
import { type NavigationGroup, renderPage, renderWidePage } from './shell';
import { describeMessages } from './webhook-reference';

/** A page of the site. */
interface SitePage {
  readonly path: string;
  readonly group: string;
  readonly title: string;
  readonly summary: string;
  readonly markdown: string;
  readonly rendered: Rendered;
}

const folder = join(__dirname, '..');
const introduction =
  'A billing system that you run yourself: subscriptions, usage, invoices, payments, checkout pages, a customer portal and webhooks behind one REST API. Each guide takes a few minutes; its examples were run against this release.';
const unknownPage = { path: undefined, title: 'Page not found', summary: 'Page not found' };
// The package exports no path of this file.
const scalarFile = join(folder, 'node_modules/@scalar/api-reference/dist/browser/standalone.js');

/** Files of the site by their path; a file `docs/x.html` is the page `/docs/x`. */
export function buildSite(): ReadonlyMap<string, string> {
  const guides = guidePages();
  const references = referencePages();
  const pages = [startPage(guides, references), ...guides, ...references];
  const broken = brokenLinks(pages);
  if (broken.length > 0) throw new Error(`Broken links:\n${broken.join('\n')}`);
  const unmarked = unmarkedBlocks(guides);
  if (unmarked.length > 0) throw new Error(`Neither run nor text:\n${unmarked.join('\n')}`);
  const assets = readAssets();
  const addressOf = (name: string) => assets.find((one) => one.name === name)?.path ?? '';
  const shell = {
    assets: { stylesheet: addressOf('site.css'), search: addressOf('search.mjs') },
    navigation: navigationOf(pages),
  };
  const content = '<h1>Page not found</h1><p><a href="/docs">All pages</a></p>';
  const scripts = [addressOf('scalar.js'), addressOf('reference.mjs')];
  return new Map([
    ...pages.flatMap((page): [string, string][] => [
      [
        fileOf(page, 'html'),
        page.path === '/docs/reference'
          ? renderWidePage(withContent(page, interactive(page)), { assets: shell.assets, scripts })
          : renderPage(withContent(page, page.rendered.html), shell),
      ],
      [fileOf(page, 'md'), page.markdown],
    ]),
    ['docs/404.html', renderPage({ ...unknownPage, content }, shell)],
    ['docs/search.json', JSON.stringify({ sections: [...guides, ...references].flatMap(entries) })],
    ['llms.txt', pageList(guides, references, '.md')],
    ['llms-full.txt', guides.map(withSource).join('\n')],
    ...assets.map(({ path, text }): [string, string] => [path.slice(1), text]),
  ]);
}

/** Guides of the list; throws if the list and the folder differ. */
function guidePages(): SitePage[] {
  const listed = guideGroups.flatMap(({ guides }) => guides.map(({ name }) => `${name}.md`));
  const files = readdirSync(join(folder, 'guides'));
  const wrong = [...listed, ...files].filter(
    (one) => !listed.includes(one) || !files.includes(one),
  );
  if (wrong.length > 0) throw new Error(`Not listed, or missing: ${wrong.join(', ')}`);
  return guideGroups.flatMap(({ title: group, guides }) =>
    guides.map(({ name, summary }) => {
      const markdown = readFileSync(join(folder, 'guides', `${name}.md`), 'utf8');
      return pageOf({ path: `/docs/${name}`, group, summary, markdown });
    }),
  );
}

function referencePages(): SitePage[] {
  const group = 'Reference';
  return [
    pageOf({
      path: '/docs/reference',
      group,
      summary: 'Every operation, with requests from the page.',
      markdown: describeOperations(describeApi(routes)),
    }),
    pageOf({
      path: '/docs/webhooks',
      group,
      summary: 'Every kind of webhook, with its fields and an example.',
      markdown: describeMessages(describeWebhooks()),
    }),
  ];
}

function startPage(guides: readonly SitePage[], references: readonly SitePage[]): SitePage {
  const markdown = pageList(guides, references, '');
  return pageOf({ path: '/docs', group: '', summary: introduction, markdown });
}

/** Title, one paragraph, and each page with one line. */
function pageList(
  guides: readonly SitePage[],
  references: readonly SitePage[],
  ending: string,
): string {
  const pages = [...guides, ...references];
  const groups = [...new Set(pages.map(({ group }) => group))].map((group) => {
    const lines = pages
      .filter((page) => page.group === group)
      .map(({ path, title, summary }) => `- [${title}](${path}${ending}): ${summary}`);
    return `## ${group}\n\n${lines.join('\n')}\n`;
  });
  return `# Billing\n\n${introduction}\n\n${groups.join('\n')}`;
}

function pageOf(page: Omit<SitePage, 'title' | 'rendered'>): SitePage {
  const rendered = renderMarkdown(page.markdown);
  return { ...page, rendered, title: rendered.sections[0]?.heading ?? page.path };
}

function withContent({ path, title, summary }: SitePage, content: string) {
  return { path, title, summary, content };
}

/** The element that the script fills, and the same content for readers without scripts. */
function interactive({ rendered }: SitePage): string {
  return `<div id="reference"></div>\n<noscript><div class="static">${rendered.html}</div></noscript>`;
}

/** A guide with its address below its title. */
function withSource({ path, markdown }: SitePage): string {
  const [title = '', ...rest] = markdown.split('\n');
  return [title, '', `Source: ${path}`, ...rest].join('\n');
}

function navigationOf(pages: readonly SitePage[]): NavigationGroup[] {
  const groups = [...new Set(pages.map(({ group }) => group))].filter((group) => group !== '');
  return groups.map((title) => ({
    title,
    links: pages.filter(({ group }) => group === title),
  }));
}

function entries({ path, title, rendered }: SitePage) {
  return rendered.sections.map(({ anchor, heading, text }, index) => ({
    path: index === 0 ? path : `${path}#${anchor}`,
    title,
    heading,
    text,
  }));
}

function fileOf({ path }: SitePage, ending: string): string {
  return `${path.slice(1)}.${ending}`;
}

/** Files of the shell; a name with a hash of the content lets browsers keep them. */
function readAssets() {
  const own = readdirSync(join(folder, 'assets')).map((name) => [
    name,
    join(folder, 'assets', name),
  ]);
  const all = [...own, ['scalar.js', scalarFile]] as [string, string][];
  return all.map(([name, file]) => {
    const text = readFileSync(file, 'utf8');
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 10);
    const [stem = '', ending = ''] = name.split('.');
    const path = `/docs/assets/${stem}.${hash}.${ending.replace('mjs', 'js')}`;
    return { name, path, text };
  });
}
