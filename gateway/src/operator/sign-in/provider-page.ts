import type { HttpError } from '../../http/error';
import { html } from '../../pages/frame/html';
import { type Page, operatorPageAnswer } from '../../pages/frame/shell';
import type { ApiAnswer } from '../../http/answer';
import { signInPath } from '../route/addresses';

/** Path that redirects a browser to the identity provider. */
export const providerPath = `${signInPath}/provider`;

const tellings: Readonly<Record<string, string>> = {
  sign_in_not_begun:
    'This sign-in was started in another browser, has expired or was already completed. Please sign in again.',
  sign_in_refused: 'The identity provider did not confirm your identity. Please sign in again.',
  email_not_verified:
    'The identity provider has not verified your email address. Please verify it there first.',
  not_an_operator:
    'This account has no access. Please ask an owner or an admin for an invitation to your email address.',
  provider_unavailable:
    'The identity provider is not available right now. Please try again in a minute.',
  not_found: 'No identity provider is configured. Please sign in with your password.',
  too_many_requests: 'Too many attempts. Please wait a minute.',
};

/**
 * Page that forwards to the dashboard. The session cookie is `Strict`, and browsers would not send
 * it with a redirect that started at the provider's site.
 */
export function welcomePage(returnTo: string): Page {
  const content = html`<section>
    <h1>Signed in</h1>
    <p><a href="${returnTo}">Continue to the dashboard</a></p>
  </section>`;
  return { title: 'Signed in', content, isVisit: true, refresh: { seconds: 0, url: returnTo } };
}

/** Page that explains a failed sign-in. */
export function failurePage(
  { status, code, headers }: HttpError,
  { requestId, label }: { readonly requestId: string; readonly label: string },
): ApiAnswer {
  const telling = tellings[code] ?? 'The sign-in failed. Please try again in a minute.';
  const content = html`<section>
    <h1>Not signed in</h1>
    <p role="alert">${telling}</p>
    ${label !== '' && html`<p><a href="${providerPath}">Sign in with ${label}</a></p>`}
    <p><a href="${signInPath}">Other ways to sign in</a></p>
    <p class="faint">Request <code>${requestId}</code></p>
  </section>`;
  const page = { title: 'Not signed in', content, status, isVisit: true };
  return operatorPageAnswer(page, { ...headers, 'Error-Code': code });
}
