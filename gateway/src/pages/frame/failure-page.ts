import type { HttpError } from '../../http/error';
import type { ApiAnswer } from '../../http/answer';
import { html } from './html';
import { pageAnswer } from './shell';

interface Words {
  readonly title: string;
  readonly text: string;
}

const wordsOfStatus: Readonly<Record<number, Words>> = {
  400: { title: 'That did not work', text: 'The form could not be read. Please try again.' },
  403: {
    title: 'That did not work',
    text: 'The form was sent from another site. Please open the page again and retry there.',
  },
  404: {
    title: 'Page not found',
    text: 'This page does not exist. Please check the address, or contact the seller.',
  },
  405: { title: 'That did not work', text: 'This page does not support that action.' },
  409: {
    title: 'That did not work',
    text: 'This is no longer possible. Please open the page again.',
  },
  413: { title: 'That did not work', text: 'Your input is too long.' },
  415: { title: 'That did not work', text: 'The form could not be read. Please try again.' },
  429: { title: 'Too many requests', text: 'Please wait a moment and try again.' },
};

const unavailable: Words = {
  title: 'Temporarily unavailable',
  text: 'Please try again in a moment. If you were paying, check the page first: your payment may have gone through.',
};
const fault: Words = {
  title: 'Something went wrong',
  text: 'The error is on our side. If you were paying, check the page first: your payment may have gone through.',
};

/** Page that explains an error to a payer. */
export function failurePage(problem: HttpError, path: string | undefined): ApiAnswer {
  const { status, code, headers = {} } = problem;
  const { title, text } = wordsOfStatus[status] ?? (status > 500 ? unavailable : fault);
  const isLost = status === 404 || path === undefined;
  const content = html`<section>
    <h1>${title}</h1>
    <p>${text}</p>
    ${!isLost && html`<p><a href="${path}">Back to the page</a></p>`}
  </section>`;
  return pageAnswer({ title, content, status }, { ...headers, 'Error-Code': code });
}
