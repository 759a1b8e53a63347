/** Addresses of the files that every page loads. */
export interface ShellAssets {
  readonly stylesheet: string;
  readonly search: string;
}

/** A link of the navigation. */
interface NavigationLink {
  readonly path: string;
  readonly title: string;
}

/** A titled part of the navigation. */
export interface NavigationGroup {
  readonly title: string;
  readonly links: readonly NavigationLink[];
}

/** Contents of a page around its shell. */
export interface ShellPage {
  /** Address; undefined for the page of unknown addresses. */
  readonly path: string | undefined;
  readonly title: string;
  readonly summary: string;
  /** HTML of the page. */
  readonly content: string;
}

interface Surrounding {
  readonly assets: ShellAssets;
  readonly navigation: readonly NavigationGroup[];
}

/** Page with header, search and navigation. Everything but the search works without scripts. */
export function renderPage(page: ShellPage, { assets, navigation }: Surrounding): string {
  const twin =
    page.path === undefined
      ? ''
      : `<p class="twin"><a href="${page.path}.md">This page as Markdown</a></p>`;
  return frame(page, {
    assets,
    body: `<div class="columns">
<main id="content">
<p class="jump"><a href="#pages">All pages</a></p>
${page.content}${twin}
</main>
<nav id="pages" aria-label="Pages">
${navigationList(navigation, page.path)}</nav>
</div>`,
  });
}

/** Page without navigation whose content fills the window. */
export function renderWidePage(
  page: ShellPage,
  { assets, scripts }: { readonly assets: ShellAssets; readonly scripts: readonly string[] },
): string {
  const tags = scripts.map((script) => `<script src="${script}"></script>`).join('\n');
  return frame(page, { assets, body: `${page.content}\n${tags}` });
}

function escaped(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function frame(
  { path, title, summary }: ShellPage,
  { assets, body }: { readonly assets: ShellAssets; readonly body: string },
): string {
  const heading = path === '/docs' ? title : `${title} · Billing`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(summary)}">
<title>${escaped(heading)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.stylesheet}">
</head>
<body>
<header>
<a class="name" href="/docs">Billing docs</a>
<form id="search" role="search" hidden><input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off"><div class="results" hidden></div></form>
<ul><li><a href="/docs/reference">API</a></li><li><a href="/docs/webhooks">Webhooks</a></li><li><a href="/dashboard">Dashboard</a></li></ul>
</header>
${body}
<script type="module" src="${assets.search}"></script>
</body>
</html>
`;
}

function navigationList(groups: readonly NavigationGroup[], path: string | undefined): string {
  return groups
    .map(({ title, links }) => {
      const items = links.map((link) => {
        const current = link.path === path ? ' aria-current="page"' : '';
        return `<li><a href="${link.path}"${current}>${escaped(link.title)}</a></li>`;
      });
      return `<h2>${escaped(title)}</h2><ul>${items.join('')}</ul>\n`;
    })
    .join('');
}
