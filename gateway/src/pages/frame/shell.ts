import type { ApiAnswer } from '../../http/answer';
import { type Html, html, type HtmlValue } from './html';
import { payerScriptPath } from './payer-script';
import { stylesheet, stylesheetHash } from './stylesheet';

/** Description of a page. */
export interface Page {
  readonly title: string;
  readonly content: HtmlValue;
  readonly status?: number;
  /** Header above the content of the page. */
  readonly header?: Html;
  /** Two columns on wide screens. */
  readonly isWide?: boolean;
  /**
   * Page of a session with a cookie. Its URL is not secret, so its forms may send the header
   * `Origin`.
   */
  readonly isVisit?: boolean;
  /** True in a sandbox. */
  readonly isTest?: boolean;
  /** True for a page with fields that the script formats or that it updates. */
  readonly hasScript?: boolean;
  /** True for a page with an image of the gateway, such as a logo. */
  readonly hasImage?: boolean;
  /**
   * Redirect targets of its forms, in addition to the gateway. Browsers check every redirect after
   * a POST against them.
   */
  readonly formTargets?: readonly (string | undefined)[];
  /** URL that the browser loads automatically after some seconds. */
  readonly refresh?: { readonly seconds: number; readonly url: string };
}

/** Response with a page. */
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

/** Redirects a browser, which loads the target with GET. */
export function redirectAnswer(
  location: string,
  headers: Readonly<Record<string, string>> = {},
): ApiAnswer {
  // Headers allow only ASCII. An ASCII URL is left unchanged.
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
 * Security headers of a page: only its own style may load, on pages with fields its own script, and
 * its forms may be posted. No caching, since a page shows personal data. No referrer, since the URL
 * authorizes payments.
 */
function pageHeaders({
  formTargets = [],
  isVisit = false,
  hasScript = false,
  hasImage = false,
}: Pick<Page, 'formTargets' | 'isVisit' | 'hasScript' | 'hasImage'>): Record<string, string> {
  const targets = [...new Set(formTargets.flatMap(sourceOf))];
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${stylesheetHash}`,
      ...(hasImage ? ["img-src 'self'"] : []),
      // The script reads its own page again, for the prices of another quantity.
      ...(hasScript ? ["script-src 'self'", "connect-src 'self'"] : []),
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
 * Source of a URL for the policy: its origin, or its scheme if the host cannot be named in a
 * policy.
 */
function sourceOf(address: string | undefined): string[] {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return [];
  return [/^[a-z0-9.-]+$/.test(url.hostname) ? url.origin : url.protocol];
}

function renderPage(page: Page): string {
  const { title, content, header, isTest = false, hasScript = false } = page;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html`${title}`.toString()}</title>
<style>${stylesheet}</style>${hasScript ? `\n<script src="${payerScriptPath}" defer></script>` : ''}
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
