import { z } from 'zod';
import { localeProblems, supportedLocale } from '@billing/presentation/locale';
import { invalidInput } from '@billing/kernel/domain-error';
import { readQuery } from './input';
import type { ApiRequest } from './request';

/** Query of a document. */
export const documentQuery = z.object({
  locale: z
    .string()
    .optional()
    .meta({ description: 'BCP 47 tag, in place of the locale of the document.' }),
});

/** Locale that a request names for a document; throws for an unsupported one. */
export function documentLocale(request: ApiRequest): string | undefined {
  const { locale } = readQuery(documentQuery, request);
  const problems = localeProblems(locale);
  if (problems.length > 0) throw invalidInput({ locale: problems });
  return locale === undefined ? undefined : supportedLocale(locale);
}
