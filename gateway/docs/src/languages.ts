import type { Rendered } from './markdown';

/** A guide and its blocks of code. */
interface GuideOfBlocks {
  readonly path: string;
  readonly rendered: Pick<Rendered, 'languages'>;
}

/** Languages whose blocks the tests run or parse; `text` marks any other block. */
const languages = ['bash', 'ts', 'json', 'text'];
/** The module of this guide is loaded by a test of its own. */
const moduleGuide = '/docs/official-client';

/** Blocks that are neither run nor marked, as `page: language`. */
export function unmarkedBlocks(guides: readonly GuideOfBlocks[]): string[] {
  return guides.flatMap(({ path, rendered }) => {
    const known = path === moduleGuide ? [...languages, 'js'] : languages;
    return rendered.languages
      .filter((one) => !known.includes(one))
      .map((one) => `${path}: ${one === '' ? 'no language' : one}`);
  });
}
