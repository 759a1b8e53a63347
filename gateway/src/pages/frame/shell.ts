import type { ApiAnswer } from '../../http/answer';
import type { Reader, Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { type Html, html, type HtmlValue, withLocale } from './html';
import { defaultLook, type Look } from './look';
import { pageFooter } from './page-footer';
import type { PayerScript } from './payer-script';
import { brandStyle, styleHash, stylesheet } from './stylesheet';

/** Description of a page. */
export interface Page {
  readonly title: Text;
  readonly content: HtmlValue;
  readonly status?: number;
  /** Header above the content of the page. Defaults to the name and logo of the seller. */
  readonly header?: (look: Look) => Html;
  /** Locales of the session and the customer of the page, as far as they have one. */
  readonly locales?: readonly (string | undefined)[];
  /** Two columns on wide screens. */
  readonly isWide?: boolean;
  /** Page of texts and fields, which needs a part of the style only. */
  readonly isPlain?: boolean;
  /**
   * Page of a session with a cookie. Its URL is not secret, so its forms may send the header
   * `Origin`.
   */
  readonly isVisit?: boolean;
  /** True in a sandbox. */
  readonly isTest?: boolean;
  /** Script that formats fields of the page or updates it. */
  readonly script?: PayerScript | undefined;
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

/** A page whose reader is not known yet. */
export class UnrenderedPage {
  constructor(
    readonly page: Page,
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  toJSON(): never {
    throw new Error('The page was not rendered');
  }
}

/** Response with a page, to be rendered for its reader. */
export function pageAnswer(page: Page, headers: Readonly<Record<string, string>> = {}): ApiAnswer {
  return { status: page.status ?? 200, body: new UnrenderedPage(page, headers) };
}

/** Response with a page of operators, in English. */
export function operatorPageAnswer(
  page: Page,
  headers: Readonly<Record<string, string>> = {},
): ApiAnswer {
  const reader = { locale: defaultLook.defaultLocale };
  return renderedAnswer(new UnrenderedPage(page, headers), { look: defaultLook, reader });
}

/** Circumstances in which a page is rendered. */
export interface Rendering {
  readonly look: Look;
  readonly reader: Reader;
  /** Path of the page, at which other languages are offered. Optional. */
  readonly path?: string | undefined;
}

/** Response with a rendered page. */
export function renderedAnswer({ page, headers }: UnrenderedPage, rendering: Rendering): ApiAnswer {
  const { refresh } = page;
  const { locale, chosenLocale } = rendering.reader;
  return {
    status: page.status ?? 200,
    body: Buffer.from(renderPage(page, rendering)),
    headers: {
      ...headers,
      ...pageHeaders(page, rendering.look),
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': locale,
      Vary: 'Accept-Language',
      ...(refresh !== undefined && {
        Refresh: `${String(refresh.seconds)}; url=${refreshTarget(refresh.url, chosenLocale)}`,
      }),
    },
  };
}

function refreshTarget(url: string, chosenLocale: string | undefined): string {
  return url.startsWith('/') ? withLocale(url, chosenLocale) : url;
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
function pageHeaders(
  {
    formTargets = [],
    isPlain = false,
    isVisit = false,
    script,
    hasImage = false,
  }: Pick<Page, 'formTargets' | 'isPlain' | 'isVisit' | 'script' | 'hasImage'>,
  { colors, logo }: Pick<Look, 'colors' | 'logo'> = defaultLook,
): Record<string, string> {
  const targets = [...new Set(formTargets.flatMap(sourceOf))];
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${stylesheet({ isPlain }).hash} ${styleHash(brandStyle(colors))}`,
      ...(hasImage || logo !== undefined ? ["img-src 'self'"] : []),
      // The script reads its own page again, for the prices of another quantity.
      ...(script !== undefined ? ["script-src 'self'", "connect-src 'self'"] : []),
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

function renderPage(page: Page, { look, reader, path }: Rendering): string {
  const { title, content, header, isTest = false, script } = page;
  const shown = (value: HtmlValue) => html`${value}`.for(reader);
  return `<!doctype html>
<html lang="${reader.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${shown(title)}</title>
<style>${stylesheet(page).source}</style><style>${brandStyle(look.colors)}</style>${script === undefined ? '' : `\n<script src="${script.path}" defer></script>`}
</head>
<body>
${shown([isTest && testNote, header === undefined ? sellerHeader(page, look) : header(look)])}
<main id="main" class="${layoutOf(page)}">
${shown(content)}
</main>
${shown(pageFooter(look, { reader, path }))}
</body>
</html>
`;
}

function layoutOf({ isWide = false, isVisit = false }: Page): string {
  if (isWide) return 'two';
  return isVisit ? 'visit' : 'narrow';
}

const testNote = html`<aside class="note" aria-label="${say('page.testMode')}">
  <strong>TEST</strong> ${say('page.testModeNote')}
</aside>`;

/** Name and logo of the seller above a page without another header. */
function sellerHeader({ hasImage = false, isWide, isVisit }: Page, look: Look): Html | undefined {
  // The document on the page shows the logo that it was issued with.
  const { name, logo } = hasImage ? { ...look, logo: undefined } : look;
  if (name === undefined && logo === undefined) return undefined;
  return html`<header class="${isWide !== true && isVisit !== true && 'narrow-head'}">
    ${sellerMark({ name, logo })}
  </header>`;
}

/** Logo and name of the seller. */
export function sellerMark({
  name = '',
  logo,
}: Pick<Look, 'logo'> & { readonly name: Text | undefined }): Html {
  return html`<p class="seller">
    ${logo !== undefined && html`<img class="logo" src="/logos/${logo}" alt="" />`} ${name}
  </p>`;
}
