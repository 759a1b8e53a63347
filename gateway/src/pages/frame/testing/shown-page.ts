import type { ApiAnswer } from '../../../http/answer';
import type { Reader } from '@billing/documents/reader';
import { defaultLook, type Look } from '../look';
import { type Page, renderedAnswer, UnrenderedPage } from '../shell';

const english: Reader = { locale: 'en' };

/** Response with a page as a reader sees it. */
export function shownAnswer(
  page: Page,
  { reader = english, look = defaultLook }: { reader?: Reader; look?: Look } = {},
): ApiAnswer {
  return renderedAnswer(new UnrenderedPage(page, {}), { reader, look, path: '/page' });
}

/** Markup of a page as a reader sees it. */
export function shownPage(page: Page, options: Parameters<typeof shownAnswer>[1] = {}): string {
  return String(shownAnswer(page, options).body);
}
