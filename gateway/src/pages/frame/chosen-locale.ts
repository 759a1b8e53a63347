import { supportedLocale } from '@billing/presentation/locale';
import type { StepRequest } from './route';
import { readText } from './form-fields';

/** Locale that the reader has chosen by a link of a page; unsupported ones count as none. */
export function chosenLocale({ locale }: StepRequest['query']): string | undefined {
  return supportedLocale(readText(locale) ?? '');
}
