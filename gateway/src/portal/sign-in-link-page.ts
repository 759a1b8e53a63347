import { say } from '@billing/documents/say';
import { href, html, local } from '../pages/frame/html';
import { sayHtml } from '../pages/frame/say-html';
import { postForm } from '../pages/frame/form-fields';
import type { Page } from '../pages/frame/shell';
import type { Visit } from './route';

/**
 * Page behind a sign-in link. Signing in takes a button, since link scanners open links but press
 * no buttons.
 */
export function signInLinkPage({
  path,
  isTest,
  locale,
}: {
  readonly path: string;
  readonly isTest: boolean;
  readonly locale: string | undefined;
}): Page {
  const content = html`<section>
    <h1>${say('signIn.title')}</h1>
    <p>${say('signIn.text')}</p>
    ${postForm({ path }, '', html`<button type="submit">${say('signIn.open')}</button>`)}
    <p class="hint aside">${say('signIn.once')}</p>
  </section>`;
  const title = say('signIn.title');
  return { title, content, isTest, isVisit: true, locales: [locale] };
}

/** Page of a used or expired sign-in link. */
export function usedSignInLinkPage({
  isUsed,
  locale,
}: {
  readonly isUsed: boolean;
  readonly locale: string | undefined;
}): Page {
  const title = say(isUsed ? 'signIn.used' : 'signIn.expired');
  const content = html`<section>
    <h1>${title}</h1>
    <p>${say('signIn.newLink')}</p>
    ${
      isUsed &&
      html`<p>
        ${sayHtml('signIn.usedHere', { link: html`<a href="${local('/portal')}">${say('signIn.continue')}</a>` })}
      </p>`
    }
  </section>`;
  return { title, content, status: 410, isVisit: true, locales: [locale] };
}

/** Page after signing out. */
export function signedOutPage({ returnUrl, locale }: Pick<Visit, 'returnUrl' | 'locale'>): Page {
  const content = html`<section>
    <h1>${say('signIn.signedOut')}</h1>
    <p>${say('signIn.signedOutText')}</p>
    ${returnUrl !== undefined && html`<p><a class="button" href="${href(returnUrl)}" rel="noreferrer">${say('signIn.back')}</a></p>`}
  </section>`;
  return { title: say('signIn.signedOut'), content, isVisit: true, locales: [locale] };
}

/** Page without a valid session. */
export function expiredVisitPage(): Page {
  const content = html`<section>
    <h1>${say('signIn.sessionExpired')}</h1>
    <p>${say('signIn.sessionExpiredText')}</p>
  </section>`;
  return { title: say('signIn.sessionExpired'), content, status: 410, isVisit: true };
}
