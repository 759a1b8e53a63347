import { pageAddress, type Rendered } from './markdown';

/** A page and what it links to. */
export interface LinkedPage {
  readonly path: string;
  readonly rendered: Pick<Rendered, 'anchors' | 'links'>;
}

/** Addresses of the gateway outside the site that guides may link to. */
const outside = ['/openapi.json', '/asyncapi.json', '/llms.txt', '/llms-full.txt', '/dashboard'];

/** Links of pages whose page or heading does not exist, as `page: link`. */
export function brokenLinks(pages: readonly LinkedPage[]): string[] {
  const anchors = new Map(pages.map(({ path, rendered }) => [path, rendered.anchors]));
  const isGood = (from: string, link: string) => {
    if (/^https:\/\//.test(link) || outside.includes(link)) return true;
    const [path = '', anchor] = pageAddress(link).split('#');
    const known = anchors.get(path === '' ? from : path);
    return known !== undefined && (anchor === undefined || known.includes(anchor));
  };
  return pages.flatMap(({ path, rendered }) =>
    rendered.links.filter((link) => !isGood(path, link)).map((link) => `${path}: ${link}`),
  );
}
