import { languageNames, languageOf } from '@billing/presentation/locale';
import type { Reader } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { href, type Html, html, withLocale } from './html';
import type { Look } from './look';

/** Support, terms and privacy of the seller, and the other languages of the page. */
export function pageFooter(
  look: Look,
  { reader, path }: { readonly reader: Reader; readonly path: string | undefined },
): Html {
  return html`<footer class="unprinted">
    ${contact(look)} ${documents(look)} ${path !== undefined && languageLinks(path, reader)}
  </footer>`;
}

function contact({ supportEmail, supportUrl }: Look): Html | undefined {
  if (supportEmail === undefined && supportUrl === undefined) return undefined;
  return html`<p>
    ${supportEmail !== undefined && html`${say('footer.questions')} <a href="mailto:${supportEmail}">${supportEmail}</a>`}
    ${supportUrl !== undefined && outside(supportUrl, 'footer.support')}
  </p>`;
}

function documents({ termsUrl, privacyUrl }: Look): Html | undefined {
  if (termsUrl === undefined && privacyUrl === undefined) return undefined;
  return html`<p>
    ${termsUrl !== undefined && outside(termsUrl, 'footer.terms')}
    ${privacyUrl !== undefined && outside(privacyUrl, 'footer.privacy')}
  </p>`;
}

function outside(address: string, key: 'footer.support' | 'footer.terms' | 'footer.privacy'): Html {
  return html`<a href="${href(address)}" rel="noreferrer">${say(key)}</a>`;
}

/** Each language under its own name, but that of the page. */
function languageLinks(path: string, { locale }: Reader): Html {
  const others = languageNames.filter(([language]) => language !== languageOf(locale));
  return html`<nav aria-label="${say('footer.languages')}">
    ${others.map(
      ([language, name]) =>
        html`<a href="${withLocale(path, language)}" lang="${language}">${name}</a> `,
    )}
  </nav>`;
}
