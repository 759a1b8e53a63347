import type { Request } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import { preferredLocale } from '@billing/presentation/locale';
import type { ApiAnswer } from '../../http/answer';
import type { PageWork } from '../../http/page-mount';
import type { Reader } from '@billing/documents/reader';
import { chosenLocale } from './chosen-locale';
import { withLocale } from './html';
import { defaultLook, type Look } from './look';
import type { LookCache } from './look-cache';
import { renderedAnswer, UnrenderedPage } from './shell';

/** Work whose answer is rendered for its reader. */
export function dressed(work: PageWork, dress: PageDress): PageWork {
  return async (call, message, recordCaller) =>
    dress.finish(await work(call, message, recordCaller), message.request);
}

interface Dress {
  readonly found: Promise<Look>;
  look: Look;
}

/** Renders pages for their readers: in the look of their environment, in a language. */
export class PageDress {
  private readonly dresses = new WeakMap<Request, Dress>();

  constructor(
    private readonly looks: LookCache,
    private readonly pagePath: (request: Request) => string | undefined,
  ) {}

  /** Begins to look up the environment of a request, at the same time as its page. */
  begin(request: Request, context: CallContext): void {
    const found = this.looks.find(context);
    const dress: Dress = { found, look: defaultLook };
    this.dresses.set(request, dress);
    void found.then((look) => {
      dress.look = look;
    });
  }

  /** Locale of a page without a session and a customer. */
  async localeOf(request: Request): Promise<string> {
    const look = (await this.dresses.get(request)?.found) ?? defaultLook;
    return readerOf(request, { look, locales: [] }).locale;
  }

  /** Renders the page of an answer, and adds the chosen locale to a redirect to another page. */
  async finish(answer: ApiAnswer, request: Request): Promise<ApiAnswer> {
    await this.dresses.get(request)?.found;
    return this.finishNow(answer, request);
  }

  /** The same without waiting, for errors. */
  finishNow(answer: ApiAnswer, request: Request): ApiAnswer {
    const { body, headers } = answer;
    const look = this.dresses.get(request)?.look ?? defaultLook;
    if (body instanceof UnrenderedPage) {
      const reader = readerOf(request, { look, locales: body.page.locales ?? [] });
      return renderedAnswer(body, { look, reader, path: this.pagePath(request) });
    }
    const target = headers?.Location;
    if (target?.startsWith('/') !== true) return answer;
    return {
      ...answer,
      headers: { ...headers, Location: withLocale(target, chosenLocale(request.query)) },
    };
  }
}

/**
 * Chooses the locale of a page: the first of the one chosen on the page, those of its session and
 * its customer, the browser's, and the default.
 */
function readerOf(
  request: Request,
  { look, locales }: { readonly look: Look; readonly locales: readonly (string | undefined)[] },
): Reader {
  const chosen = chosenLocale(request.query);
  const known = [chosen, ...locales].find((locale) => locale !== undefined);
  const locale =
    known ?? preferredLocale(request.header('accept-language') ?? '') ?? look.defaultLocale;
  return { locale, chosenLocale: chosen };
}
