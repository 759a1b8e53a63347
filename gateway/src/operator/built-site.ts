import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BuiltFile,
  cachedPermanently,
  fileAnswer,
  readBuiltFile,
  type RequestedCopy,
} from '../http/built-file';
import { RequestError } from '../http/error';
import type { ApiAnswer } from '../http/answer';

interface Site {
  readonly index: Buffer;
  /** Assets by name, such as `index-BlYgxI5_.css`. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
}

// All resources are our own files: nothing inline, nothing external, no frames. The policy does not
// apply to styles that scripts set on elements.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

// The dashboard uses no browser permissions.
const permissions = ['camera', 'geolocation', 'microphone', 'payment', 'usb']
  .map((feature) => `${feature}=()`)
  .join(', ');

/** Prevents other origins from loading the response. */
const sameOriginResource = { 'Cross-Origin-Resource-Policy': 'same-origin' };

/**
 * Files of the dashboard's build, held in memory and read at the first request. Lookup by exact
 * name rules out path traversal.
 */
export class BuiltSite {
  private site: Site | undefined;

  constructor(private readonly folder: string) {}

  /** Page served at every address of the dashboard; its script does the routing. */
  page(): ApiAnswer {
    return {
      status: 200,
      body: this.read().index,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': policy,
        // The page names the assets of its build, and assets of older builds no longer exist.
        'Cache-Control': 'no-store',
        // Reads of the API prove their origin by the referrer.
        'Referrer-Policy': 'same-origin',
        // Isolates the window from sites that open it.
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Permissions-Policy': permissions,
        ...sameOriginResource,
        'X-Robots-Tag': 'noindex',
      },
    };
  }

  /**
   * A script, stylesheet or image. Its name contains a hash of the content, so browsers cache it
   * permanently.
   */
  asset(name: string, copy: RequestedCopy): ApiAnswer {
    const file = this.read().assets.get(name);
    if (file === undefined) throw new RequestError(404, 'not_found', 'Not found');
    return fileAnswer(file, copy, { ...sameOriginResource, 'Cache-Control': cachedPermanently });
  }

  private read(): Site {
    this.site ??= readSite(this.folder);
    return this.site;
  }
}

function readSite(folder: string): Site {
  const assets = join(folder, 'assets');
  try {
    const files = readdirSync(assets).map(
      (name) => [name, readBuiltFile(join(assets, name))] as const,
    );
    return { index: readFileSync(join(folder, 'index.html')), assets: new Map(files) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new RequestError(503, 'unavailable', 'The dashboard is not built', {
      'Retry-After': '60',
    });
  }
}
