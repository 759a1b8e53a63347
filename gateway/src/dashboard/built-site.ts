import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { unlessMatched } from '../conditions';
import { RequestError } from '../http-error';
import type { ApiAnswer } from '../route';

interface BuiltFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly tag: string;
  /** Made when somebody takes it first; undefined where it gains nothing. */
  gzipped?: Buffer | undefined;
}

interface Site {
  readonly index: Buffer;
  /** By name, such as `index-BlYgxI5_.css`. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
}

/** What the headers of a request say of the copy that is wanted. */
export interface WantedCopy {
  readonly ifNoneMatch: string | undefined;
  readonly acceptEncoding: string | undefined;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

// Below that a packet is a packet.
const gzipFromBytes = 1_000;

// Everything is a file of ours: nothing inline, nothing of others, no frames. Styles that scripts set on elements are no styles to a policy.
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

// The dashboard uses none of the devices and powers that a browser can lend.
const permissions = ['camera', 'geolocation', 'microphone', 'payment', 'usb']
  .map((feature) => `${feature}=()`)
  .join(', ');

/** Other origins cannot load what is answered. */
const sameOriginResource = { 'Cross-Origin-Resource-Policy': 'same-origin' };

/**
 * The files that the dashboard's build has made, all in memory: they are small, and what is not among them by its exact name is not there,
 * whatever an address looks like. They are read when the first of them is asked for.
 */
export class BuiltSite {
  private site: Site | undefined;

  constructor(private readonly folder: string) {}

  /** The page that every address of the dashboard shows; what it is about, it finds out itself. */
  page(): ApiAnswer {
    return {
      status: 200,
      body: this.read().index,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': policy,
        // It names the assets of this build: an older one would ask for what is gone.
        'Cache-Control': 'no-store',
        // Reads of the API prove by it that they come from here.
        'Referrer-Policy': 'same-origin',
        // Windows that another site opened cannot reach into this one, and no script asks for a device.
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Permissions-Policy': permissions,
        ...sameOriginResource,
        'X-Robots-Tag': 'noindex',
      },
    };
  }

  /** A script, stylesheet or picture. Its name changes with what is in it, so it is kept for ever. */
  asset(name: string, { ifNoneMatch, acceptEncoding }: WantedCopy): ApiAnswer {
    const file = this.read().assets.get(name);
    if (file === undefined) throw new RequestError(404, 'not_found', 'Not found');
    const gzipped = /\bgzip\b/.test(acceptEncoding ?? '') ? gzippedOf(file) : undefined;
    const isGzipped = gzipped !== undefined;
    return unlessMatched(ifNoneMatch, {
      status: 200,
      body: gzipped ?? file.bytes,
      headers: {
        'Content-Type': file.type,
        ...sameOriginResource,
        'Cache-Control': 'public, max-age=31536000, immutable',
        ETag: `"${file.tag}${isGzipped ? '-gzip' : ''}"`,
        Vary: 'Accept-Encoding',
        ...(isGzipped && { 'Content-Encoding': 'gzip' }),
      },
    });
  }

  private read(): Site {
    this.site ??= readSite(this.folder);
    return this.site;
  }
}

function readSite(folder: string): Site {
  const assets = join(folder, 'assets');
  try {
    const files = readdirSync(assets).map((name) => [name, readFile(join(assets, name))] as const);
    return { index: readFileSync(join(folder, 'index.html')), assets: new Map(files) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new RequestError(503, 'unavailable', 'The dashboard is not built here', {
      'Retry-After': '60',
    });
  }
}

function readFile(path: string): BuiltFile {
  const bytes = readFileSync(path);
  const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, tag, type: types[extname(path)] ?? 'application/octet-stream' };
}

function gzippedOf(file: BuiltFile): Buffer | undefined {
  if (file.bytes.length < gzipFromBytes) return undefined;
  file.gzipped ??= gzipSync(file.bytes, { level: 9 });
  return file.gzipped;
}
