import type { ApiAnswer } from '../route';
import { type Html, html, type HtmlValue } from './html';
import { stylesheet, stylesheetHash } from './stylesheet';

/** A page as its maker describes it. */
export interface Page {
  readonly title: string;
  readonly content: HtmlValue;
  readonly status?: number;
  /** What stands above the page's own content. */
  readonly header?: Html;
  /** Two columns where there is room. */
  readonly isWide?: boolean;
  /**
   * Of a visit that a cookie proves: its forms tell by the header `Origin` that they are ours, and
   * its address is no secret.
   */
  readonly isVisit?: boolean;
  /** Nothing on it is real: no live money. */
  readonly isTest?: boolean;
  /**
   * Where its forms may lead in the end, beside the gateway itself: browsers hold every redirection
   * after a POST to that.
   */
  readonly formTargets?: readonly (string | undefined)[];
  /** What the browser loads by itself after some seconds. */
  readonly refresh?: { readonly seconds: number; readonly url: string };
}

/** The answer that shows a page. */
export function pageAnswer(page: Page, headers: Readonly<Record<string, string>> = {}): ApiAnswer {
  return {
    status: page.status ?? 200,
    body: Buffer.from(renderPage(page)),
    headers: {
      ...headers,
      ...pageHeaders(page),
      'Content-Type': 'text/html; charset=utf-8',
      ...(page.refresh !== undefined && {
        Refresh: `${String(page.refresh.seconds)}; url=${page.refresh.url}`,
      }),
    },
  };
}

/** Sends a browser on; after a form it loads the target with GET. */
export function redirectAnswer(
  location: string,
  headers: Readonly<Record<string, string>> = {},
): ApiAnswer {
  // A header holds ASCII alone; an address that does is left as its owner wrote it.
  const isPlain = /^[!-~]+$/.test(location);
  return {
    status: 303,
    headers: {
      ...headers,
      ...pageHeaders({}),
      Location: isPlain ? location : new URL(location).href,
    },
  };
}

/**
 * What a browser may do with a page: show it, its own style and nothing else, and post its forms.
 * Nothing is kept, since a page shows who pays; nothing is told to where its links lead, since
 * whoever knows its address may pay.
 */
function pageHeaders({
  formTargets = [],
  isVisit = false,
}: Pick<Page, 'formTargets' | 'isVisit'>): Record<string, string> {
  const targets = [...new Set(formTargets.flatMap(sourceOf))];
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${stylesheetHash}`,
      "base-uri 'none'",
      ["form-action 'self'", ...targets].join(' '),
      "frame-ancestors 'none'",
    ].join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': isVisit ? 'same-origin' : 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex',
  };
}

/**
 * The origin of an address as a policy names it; its scheme where the host has no name that a
 * policy could hold.
 */
function sourceOf(address: string | undefined): string[] {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return [];
  return [/^[a-z0-9.-]+$/.test(url.hostname) ? url.origin : url.protocol];
}

function renderPage(page: Page): string {
  const { title, content, header, isTest = false } = page;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html`${title}`.toString()}</title>
<style>${stylesheet}</style>
</head>
<body>
${html`${[testNote(isTest), header]}`.toString()}
<main id="main" class="${layoutOf(page)}">
${html`${content}`.toString()}
</main>
</body>
</html>
`;
}

function layoutOf({ isWide = false, isVisit = false }: Page): string {
  if (isWide) return 'two';
  return isVisit ? 'visit' : 'narrow';
}

function testNote(isTest: boolean): Html {
  if (!isTest) return html``;
  return html`<aside class="note" aria-label="Test mode">Test mode: no real charges.</aside>`;
}
