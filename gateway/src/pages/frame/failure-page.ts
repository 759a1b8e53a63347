import type { HttpError } from '../../http/error';
import type { ApiAnswer } from '../../http/answer';
import { type PhraseKey, say } from '@billing/documents/say';
import { html, local } from './html';
import { pageAnswer } from './shell';

interface Words {
  readonly title: PhraseKey;
  readonly text: PhraseKey;
}

const wordsOfStatus: Readonly<Record<number, Words>> = {
  400: { title: 'failure.didNotWork', text: 'failure.unreadable' },
  403: { title: 'failure.didNotWork', text: 'failure.foreignForm' },
  404: { title: 'failure.notFoundTitle', text: 'failure.notFound' },
  405: { title: 'failure.didNotWork', text: 'failure.unsupportedAction' },
  409: { title: 'failure.didNotWork', text: 'failure.conflict' },
  413: { title: 'failure.didNotWork', text: 'failure.tooLong' },
  415: { title: 'failure.didNotWork', text: 'failure.unreadable' },
  429: { title: 'failure.tooManyTitle', text: 'failure.tooMany' },
};

const unavailable: Words = {
  title: 'failure.unavailableTitle',
  text: 'failure.unavailable',
};
const fault: Words = {
  title: 'failure.faultTitle',
  text: 'failure.fault',
};

/** Page that explains an error to a payer. */
export function failurePage(problem: HttpError, path: string | undefined): ApiAnswer {
  const { status, code, headers = {} } = problem;
  const words = wordsOfStatus[status] ?? (status > 500 ? unavailable : fault);
  const [title, text] = [say(words.title), say(words.text)];
  const isLost = status === 404 || path === undefined;
  const content = html`<section>
    <h1>${title}</h1>
    <p>${text}</p>
    ${!isLost && html`<p><a href="${local(path)}">${say('failure.back')}</a></p>`}
  </section>`;
  return pageAnswer({ title, content, status }, { ...headers, 'Error-Code': code });
}
